import { createHash } from 'node:crypto';
import { blocks, type Fields, text } from './values.ts';

export interface Entry {
  op: 'create' | 'update' | 'delete';
  type: string;
  name: string;
  id: string;
  /** What was written in the stack, resolved; at a deletion, what was there. */
  config: Fields;
}

export interface Resource {
  type: string;
  name: string;
  id: string;
  config: Fields;
  state: Fields;
}

/** Calls a function of the stand-in; what it returns is the response's body, what it throws a 502. */
export type Invoke = (functionName: string, body: string) => string;

/** What exists in the stand-in, whoever made it. */
export class Cloud {
  /** Each call that changed something, in order. */
  readonly journal: Entry[] = [];
  readonly resources: Resource[] = [];
  /** Objects that Terraform does not know: `<bucket>/<name>`. */
  readonly objects = new Set<string>();
  /** Names of secrets that wait for their deletion: `<vault>/<name>`. */
  readonly pendingSecrets = new Set<string>();
  /** `passwords` are in no attribute at all; `links` are in attributes, hence in the state. */
  readonly canaries = { passwords: [] as string[], links: [] as string[] };
  readonly region: string;
  readonly invoke: Invoke;
  readonly #generations = new Map<string, number>();

  constructor(region: string, invoke: Invoke) {
    this.region = region;
    this.invoke = invoke;
  }

  find = (type: string, matches: (config: Fields) => boolean = () => true): Resource | undefined =>
    this.resources.find((resource) => resource.type === type && matches(resource.config));

  byId = (id: string): Resource | undefined => this.resources.find((resource) => resource.id === id);

  /** Its own name, or that of what it is for: a function's where that is called. */
  nameFor(config: Fields, state: Fields): string {
    const name = nameOf(config) || nameOf(state);
    return this.byId(name)?.name ?? name;
  }

  /** Stands for a name, another one each time it is made. */
  digest(type: string, name: string): string {
    const key = `${type}/${name}`;
    const generation = this.#generations.get(key) ?? 0;
    this.#generations.set(key, generation + 1);
    return createHash('sha256').update(`${key}/${generation}`).digest('hex').slice(0, 32);
  }

  created(resource: Resource): void {
    const { type, config, id } = resource;
    this.resources.push(resource);
    if (type === 'oci_vault_secret' && config.enable_auto_generation === true) {
      this.canaries.passwords.push(`Pw1-${this.digest('password', id)}`);
    }
    if (type === 'oci_objectstorage_preauthrequest') this.canaries.links.push(text(resource.state.access_uri));
    this.#note('create', resource);
  }

  updated(resource: Resource, config: Fields, state: Fields): void {
    Object.assign(resource, { config, state, name: this.nameFor(config, state) });
    this.#note('update', resource);
  }

  deleted(resource: Resource): void {
    const { type, config } = resource;
    this.resources.splice(this.resources.indexOf(resource), 1);
    if (type === 'oci_vault_secret') this.pendingSecrets.add(secretKey(config));
    if (type === 'oci_objectstorage_object' && config.delete_all_object_versions !== true) {
      const bucket = this.find('oci_objectstorage_bucket', ({ name }) => name === config.bucket);
      if (bucket?.config.versioning === 'Enabled') this.objects.add(`${config.bucket}/${config.object} (a version)`);
    }
    this.#note('delete', resource);
  }

  #note(op: Entry['op'], { type, name, id, config }: Resource): void {
    this.journal.push({ op, type, name, id, config });
  }
}

export const secretKey = ({ vault_id, secret_name }: Fields): string => `${vault_id}/${secret_name}`;

const NAMES = ['display_name', 'name', 'secret_name', 'object', 'db_name', 'path_prefix', 'endpoint', 'bucket'];

export function nameOf(config: Fields): string {
  const target = blocks(config.configuration).flatMap(({ source }) => blocks(source))[0]?.resource;
  return text(NAMES.map((name) => config[name]).find((value) => text(value) !== '') ?? config.function_id ?? target);
}
