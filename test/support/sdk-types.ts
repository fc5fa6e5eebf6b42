import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { fieldsOf } from '../../functions/core/completion.ts';

/** What a declaration file of the SDK says of one type. */
interface Declared {
  base: string | null;
  fields: Map<string, { isOptional: boolean; type: ts.TypeNode }>;
  /** The fields whose value tells this type from its siblings, as apiFormat = 'COHERE'. */
  tags: Map<string, string>;
  /** The values of its enumerations, by their names. */
  enums: Map<string, string[]>;
}

/**
 * Checks JSON against the types of an OCI SDK package, since its own serializers send on whatever they are given: fields
 * that are unknown or missing, values of another type, a name that an enumeration has not.
 */
export class SdkTypes {
  readonly #types = new Map<string, Declared>();

  constructor(packageName: string) {
    const folder = join(dirname(createRequire(import.meta.url).resolve(packageName)), 'lib', 'model');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.d.ts') && name !== 'index.d.ts')) {
      this.#read(ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest, true));
    }
  }

  /** What is wrong with a value that ought to be of the type, each fault with its path; empty where nothing is. */
  faults(value: unknown, typeName: string): string[] {
    return this.#ofDeclared(value, typeName, typeName);
  }

  #read(file: ts.SourceFile): void {
    for (const statement of file.statements) {
      if (ts.isInterfaceDeclaration(statement)) this.#readFields(statement);
      if (ts.isModuleDeclaration(statement)) this.#readNamespace(statement);
    }
  }

  #entry(name: string): Declared {
    const entry = this.#types.get(name) ?? { base: null, fields: new Map(), tags: new Map(), enums: new Map() };
    this.#types.set(name, entry);
    return entry;
  }

  #readFields(node: ts.InterfaceDeclaration): void {
    const entry = this.#entry(node.name.text);
    const base = node.heritageClauses?.[0]?.types[0]?.expression.getText();
    entry.base = base?.replace('model.', '') ?? null;
    for (const member of node.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      const name = member.name.getText().replaceAll('"', '');
      entry.fields.set(name, { isOptional: member.questionToken !== undefined, type: member.type });
    }
  }

  #readNamespace(node: ts.ModuleDeclaration): void {
    const entry = this.#entry(node.name.text);
    if (node.body === undefined || !ts.isModuleBlock(node.body)) return;
    for (const statement of node.body.statements) {
      if (ts.isEnumDeclaration(statement)) {
        const values = statement.members.map(({ initializer }) => textOf(initializer));
        entry.enums.set(statement.name.text, values);
      }
      if (ts.isVariableStatement(statement)) {
        for (const { name, initializer } of statement.declarationList.declarations) {
          entry.tags.set(name.getText(), textOf(initializer));
        }
      }
    }
  }

  #ofType(value: unknown, type: ts.TypeNode, path: string): string[] {
    if (ts.isUnionTypeNode(type)) {
      const tagged = type.types.filter((one) => this.#hasTags(fieldsOf(value), nameOf(one)));
      const each = (tagged.length > 0 ? tagged : type.types).map((one) => this.#ofType(value, one, path));
      return each.sort((a, b) => a.length - b.length)[0] ?? [];
    }
    if (ts.isTypeReferenceNode(type)) return this.#ofReference(value, type, path);
    const kinds: Partial<Record<ts.SyntaxKind, string>> = {
      [ts.SyntaxKind.StringKeyword]: 'string',
      [ts.SyntaxKind.NumberKeyword]: 'number',
      [ts.SyntaxKind.BooleanKeyword]: 'boolean',
    };
    const kind = kinds[type.kind];
    return kind === undefined || typeof value === kind ? [] : [`${path} is no ${kind}`];
  }

  #ofReference(value: unknown, type: ts.TypeReferenceNode, path: string): string[] {
    const name = nameOf(type);
    if (name === 'Date') return Number.isNaN(Date.parse(String(value))) ? [`${path} is no time`] : [];
    if (name === 'Array') {
      const [of] = type.typeArguments ?? [];
      if (!Array.isArray(value) || of === undefined) return [`${path} is no array`];
      return value.flatMap((item, at) => this.#ofType(item, of, `${path}[${at}]`));
    }
    const [owner = '', member] = name.split('.');
    const values = member === undefined ? undefined : this.#types.get(owner)?.enums.get(member);
    if (values === undefined) return this.#ofDeclared(value, name, path);
    return values.includes(String(value)) ? [] : [`${path} is none of ${values.join(', ')}`];
  }

  #ofDeclared(value: unknown, name: string, path: string): string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no ${name}`];
    const given = fieldsOf(value);
    const family = [...this.#types.keys()].filter((other) => this.#isA(other, name));
    const isPlain = family.length === 1 && this.#types.get(name)?.tags.size === 0;
    const concrete = isPlain ? name : family.find((other) => this.#hasTags(given, other));
    if (concrete === undefined) return [`${path} is no kind of ${name}`];
    const fields = this.#fieldsOf(concrete);
    const unknown = Object.keys(given).filter((field) => !fields.has(field));
    const missing = [...fields].filter(([field, { isOptional }]) => !isOptional && given[field] === undefined);
    return [
      ...unknown.map((field) => `${path}.${field} is no field of ${concrete}`),
      ...missing.map(([field]) => `${path}.${field} is missing`),
      ...[...fields].flatMap(([field, { type }]) =>
        given[field] === undefined ? [] : this.#ofType(given[field], type, `${path}.${field}`),
      ),
    ];
  }

  #isA(name: string, ancestor: string): boolean {
    if (name === ancestor) return true;
    const base = this.#types.get(name)?.base ?? null;
    return base !== null && this.#isA(base, ancestor);
  }

  #hasTags(given: Record<string, unknown>, name: string): boolean {
    const tags = [...(this.#types.get(name)?.tags ?? [])];
    return tags.length > 0 && tags.every(([field, tag]) => given[field] === tag);
  }

  #fieldsOf(name: string): Declared['fields'] {
    const entry = this.#types.get(name);
    const inherited = entry?.base ? this.#fieldsOf(entry.base) : [];
    return new Map([...inherited, ...(entry?.fields ?? [])]);
  }
}

const nameOf = (type: ts.TypeNode): string =>
  ts.isTypeReferenceNode(type) ? type.typeName.getText().replace('model.', '') : '';

const textOf = (node: ts.Node | undefined): string => (node && ts.isStringLiteral(node) ? node.text : '');
