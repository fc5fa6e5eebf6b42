import { randomUUID } from 'node:crypto';
import { Region } from 'oci-common';
import { settingFault } from '../../../functions/config.ts';
import { AppError } from '../../../functions/core/errors.ts';
import type { ObjectStore } from '../../../functions/ports/object-store.ts';
import { openObjectStore } from '../../../functions/services/storage.ts';
import { UserError } from '../../user-error.ts';
import { readProfile } from '../oci/profile.ts';
import type { Check, CheckContext } from './check.ts';

export const storage: Check = {
  name: 'storage',
  unused: ({ env }) => (env.RAG_STORAGE ? null : 'RAG_STORAGE is not set; the deploy makes the bucket'),
  async run(context) {
    const { store, as } = await open(context);
    try {
      await tryOut(store, `doctor/${randomUUID()}`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new UserError(error.message);
    }
    return `an object was written, read, listed and removed${as}`;
  },
};

async function open(context: CheckContext): Promise<{ store: ObjectStore; as: string }> {
  const { env } = context;
  const settings = {
    RAG_STORAGE: env.RAG_STORAGE ?? '',
    RAG_STORAGE_URL: env.RAG_STORAGE_URL ?? '',
    RAG_STORAGE_REGION: env.RAG_STORAGE_REGION || 'us-east-1',
    RAG_STORAGE_ACCESS_KEY: env.RAG_STORAGE_ACCESS_KEY ?? '',
    RAG_STORAGE_SECRET_KEY: env.RAG_STORAGE_SECRET_KEY ?? '',
  };
  const isS3 = settings.RAG_STORAGE.startsWith('s3:');
  const faults = Object.entries(settings).flatMap(([name, value]) => {
    if (value === '') return isS3 ? [`${name} is missing`] : [];
    if (value.startsWith('vault:')) return [`${name} is vault:…, which is read in the cloud alone; set the key itself`];
    return settingFault(name, value) ?? [];
  });
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  if (!settings.RAG_STORAGE.startsWith('oci:')) return { store: await openObjectStore(settings), as: '' };
  const { provider, deployRegion, name } = readProfile(context);
  provider.setRegion(Region.fromRegionId(deployRegion));
  const endpoint = context.endpoints.objectStorage;
  const store = await openObjectStore(settings, { principal: provider, ...(endpoint !== undefined && { endpoint }) });
  return { store, as: ` as the profile ${name}; the functions' own rights come with the deploy` };
}

async function tryOut(store: ObjectStore, name: string): Promise<void> {
  const content = Buffer.from(name);
  await store.put(name, content, 'text/plain');
  try {
    const stored = await store.get(name, content.length);
    if (stored?.content.equals(content) !== true) throw new UserError('what was written is read as something else');
    let isListed = false;
    for await (const found of store.list(name)) isListed ||= found.name === name;
    if (!isListed) throw new UserError('what was written is not in the list');
  } finally {
    await store.remove(name);
  }
}
