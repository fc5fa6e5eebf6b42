import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, isFields, type Value } from './values.ts';

/** A type as Terraform writes it: "string", ["list", T], ["object", {name: T}]. */
type Type = string | [string, Type | Record<string, Type>];

interface Attribute {
  type: Type;
  required?: boolean;
  optional?: boolean;
  computed?: boolean;
  sensitive?: boolean;
  deprecated?: boolean;
}
interface Nested {
  nesting_mode: string;
  block: Block;
  min_items?: number;
  max_items?: number;
}
export interface Block {
  attributes?: Record<string, Attribute>;
  block_types?: Record<string, Nested>;
  deprecated?: boolean;
}
interface Schema {
  version: number;
  block: Block;
}
export interface ProviderSchema {
  provider: Schema;
  resource_schemas: Record<string, Schema>;
  data_source_schemas: Record<string, Schema>;
}

/** The output of `terraform providers schema -json` for the parts of oracle/oci 8.28.0 that a stack may use. */
const FILE = join(import.meta.dirname, '../../../../shared/oci/oci-schema-8.28.0.json');
export const hasSchema = existsSync(FILE);

export function readSchema(): ProviderSchema {
  const { provider_schemas } = JSON.parse(readFileSync(FILE, 'utf8')) as {
    provider_schemas: Record<string, ProviderSchema>;
  };
  const schema = provider_schemas['registry.terraform.io/oracle/oci'];
  if (schema === undefined) throw new Error(`no schema of oracle/oci in ${FILE}`);
  return schema;
}

/** The same schema, as the plugin protocol wants it. */
export const schemaToWire = ({ provider, resource_schemas, data_source_schemas }: ProviderSchema) => ({
  provider: schemaWire(provider),
  resource_schemas: mapValues(resource_schemas, schemaWire),
  data_source_schemas: mapValues(data_source_schemas, schemaWire),
});

const schemaWire = ({ version, block }: Schema) => ({ version, block: blockWire(block) });

function blockWire({ attributes = {}, block_types = {}, deprecated = false }: Block): object {
  return {
    deprecated,
    attributes: Object.entries(attributes).map(([name, { type, ...flags }]) => ({
      ...flags,
      description_kind: undefined,
      name,
      type: Buffer.from(JSON.stringify(type)),
    })),
    block_types: Object.entries(block_types).map(([type_name, { nesting_mode, block, min_items, max_items }]) => ({
      type_name,
      block: blockWire(block),
      nesting: nesting_mode.toUpperCase(),
      min_items,
      max_items,
    })),
  };
}

const mapValues = <T, U>(from: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));

/** What the service gives for an attribute that nobody set, where nothing else is known of it. */
export function emptyOf(type: Type): Value {
  if (type === 'bool') return false;
  if (type === 'number') return 0;
  if (type === 'string') return null;
  return type[0] === 'map' ? {} : [];
}

/** A value with everything that its type names, since Terraform refuses an object that lacks an attribute. */
export function complete(type: Type, value: Value): Value {
  if (!Array.isArray(type) || value === null) return value;
  const [kind, of] = type;
  if (Array.isArray(value)) return value.map((item) => complete(of as Type, item));
  if (kind !== 'object' || !isFields(value)) return value;
  const fields = value;
  return Object.fromEntries(
    Object.entries(of).map(([name, field]) => [name, complete(field as Type, fields[name] ?? null)]),
  );
}

/** Changes each attribute that the service computes, in nested blocks too; `depth` is 0 outside of those. */
export function mapComputed(
  block: Block,
  value: Fields,
  change: (value: Value, name: string, type: Type, depth: number) => Value,
  depth = 0,
): Fields {
  const changed: Fields = { ...value };
  for (const [name, { computed, type }] of Object.entries(block.attributes ?? {})) {
    if (computed) changed[name] = change(value[name] ?? null, name, type, depth);
  }
  for (const [name, nested] of Object.entries(block.block_types ?? {})) {
    const map = (item: Value) => (isFields(item) ? mapComputed(nested.block, item, change, depth + 1) : item);
    const inner = value[name] ?? null;
    changed[name] = Array.isArray(inner) ? inner.map(map) : map(inner);
  }
  return changed;
}
