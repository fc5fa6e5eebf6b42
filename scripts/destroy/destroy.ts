import type { ObjectStorageClient } from 'oci-objectstorage';
import { count, say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';
import { Bucket, type Contents } from './bucket.ts';
import type { DeploymentState } from './state.ts';

export interface DestroyOptions {
  /** The deployment's name, which has to be typed. */
  name: string;
  /** Without asking. */
  yes: boolean;
  /** Keeps the database and the documents. */
  keepData: boolean;
}

/** What the script does to the world. */
export interface World {
  readState(): Promise<DeploymentState | null>;
  openClient(region: string): ObjectStorageClient;
  /** What a person answers; null where nobody does. */
  ask(question: string): Promise<string | null>;
  /** Runs `npx cdktf` and resolves to its exit code. */
  cdktf(args: string[], env: Record<string, string>): Promise<number>;
}

/** A bucket and what is in it. */
type Full = [Bucket, Contents];

const TELL_EVERY = 500;

/** Empties what Terraform cannot delete while it is full, and lets Terraform delete the rest. Returns the exit code. */
export async function destroy({ name, yes, keepData }: DestroyOptions, world: World): Promise<number> {
  const state = await world.readState();
  if (state === null) {
    throw new UserError(
      "There is nothing to destroy: Terraform's state holds no deployment. Run this where `npx cdktf deploy` was run",
    );
  }
  const client = world.openClient(state.region);
  try {
    const buckets = await survey(client, state, keepData);
    announce(name, buckets, keepData);
    if (!yes && (await world.ask(`Type the deployment's name to go on (${name}): `)) !== name) {
      throw new UserError('That is not its name: nothing was deleted');
    }
    for (const [bucket, contents] of buckets) await empty(bucket, contents);
  } finally {
    client.close();
  }
  const code = await letTerraform(keepData, world);
  if (code !== 0) say('Not everything is gone; what hindered Terraform is above. Run the same command again to go on.');
  else if (keepData) say('The database and the documents are kept; `npx cdktf deploy` brings the rest back.');
  else {
    say(
      'Done. One thing stays for a time: OCI keeps the vault, with its key and secrets, as pending deletion for at least ' +
        '7 days, so that what was encrypted by it can be saved; it costs nothing.',
    );
  }
  return code;
}

/** The buckets that are to be emptied, as far as they exist. */
async function survey(client: ObjectStorageClient, { buckets }: DeploymentState, keepData: boolean): Promise<Full[]> {
  const found: Full[] = [];
  for (const { namespace, name, holdsDocuments } of buckets) {
    if (keepData && holdsDocuments) continue;
    const bucket = new Bucket(client, namespace, name);
    const contents = await bucket.survey();
    if (contents === null) say(`The bucket ${name} does not exist, or this user may not see it: it is skipped.`);
    else found.push([bucket, contents]);
  }
  return found;
}

function announce(name: string, buckets: Full[], keepData: boolean): void {
  say(`Of the deployment ${name}, this is deleted, and cannot be had back:`);
  for (const [bucket, { objects, versions, uploads, links }] of buckets) {
    say(
      `  bucket ${bucket.name}: ${count(objects, 'object')} in ${count(versions, 'version')}, ` +
        `${count(uploads, 'unfinished upload')}, ${count(links, 'pre-authenticated request')}`,
    );
  }
  if (keepData) {
    say('  the functions, the gateway, the alarms and all else but the data');
    say('Kept: the database with all records, its network, the vault, and the bucket of documents.');
  } else {
    say('  the database with all records, their index, the questions and the answers');
    say('  the functions, the gateway, the alarms, the network, the vault and its secrets');
  }
}

async function empty(bucket: Bucket, contents: Contents): Promise<void> {
  const total = contents.versions + contents.uploads + contents.links;
  let told = 0;
  await bucket.empty((deleted) => {
    if (deleted < told + TELL_EVERY) return;
    told = deleted;
    say(`Emptying ${bucket.name}: ${deleted} of ${total}`);
  });
  say(`The bucket ${bucket.name} is empty.`);
}

function letTerraform(keepData: boolean, world: World): Promise<number> {
  // The name that was typed stands for cdktf's own question. While data is kept, Terraform itself guards it.
  // What goes needs no image or model to be at hand.
  const env = { DEPLOY_PLACEHOLDERS: 'true', DEPLOY_PREVENT_DESTROY: String(keepData) };
  return keepData
    ? world.cdktf(['deploy', '--auto-approve'], { ...env, DEPLOY_KEEP: 'data' })
    : world.cdktf(['destroy', '--auto-approve'], env);
}
