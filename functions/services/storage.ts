import type { BucketPlace } from '../adapters/oci/object-store.ts';
import type { Config } from '../config.ts';
import { SetupFailed } from '../core/errors.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { secret } from './setting.ts';

type StorageSettings = Pick<
  Config,
  'RAG_STORAGE' | 'RAG_STORAGE_URL' | 'RAG_STORAGE_REGION' | 'RAG_STORAGE_ACCESS_KEY' | 'RAG_STORAGE_SECRET_KEY'
>;

type Asked = Pick<BucketPlace, 'principal' | 'endpoint'>;

/**
 * Where the bytes of files are kept, as RAG_STORAGE says; `asked` says how a bucket of OCI is asked other than by the
 * function itself. Throws SetupFailed where the store cannot be used from here.
 */
export async function openObjectStore(config: StorageSettings, asked: Asked = {}): Promise<ObjectStore> {
  const [, kind, place = ''] = /^(folder|oci|s3):(.*)$/.exec(config.RAG_STORAGE) ?? [];
  if (kind === 'folder') {
    const { FolderStore } = await import('../adapters/local/folder-store.ts');
    return new FolderStore(place);
  }
  return kind === 'oci' ? openBucket(place, asked) : openS3(place, config);
}

async function openBucket(place: string, asked: Asked): Promise<ObjectStore> {
  const [namespace = '', bucket = ''] = place.split('/');
  const { BucketStore } = await import('../adapters/oci/object-store.ts');
  try {
    return new BucketStore({ namespace, bucket, ...asked });
  } catch (cause) {
    throw new SetupFailed(
      'A bucket of OCI (RAG_STORAGE=oci:…) is asked as the function itself, by its resource principal, which is there in ' +
        'OCI Functions alone; elsewhere set folder:… or s3:…',
      { cause },
    );
  }
}

async function openS3(bucket: string, config: StorageSettings): Promise<ObjectStore> {
  const { S3Store } = await import('../adapters/s3/object-store.ts').catch((cause: unknown) => {
    throw new SetupFailed(
      'RAG_STORAGE=s3:… needs the package @aws-sdk/client-s3, which the image of the functions does not hold; in OCI set ' +
        'oci:<namespace>/<bucket>',
      { cause },
    );
  });
  return new S3Store({
    url: config.RAG_STORAGE_URL,
    region: config.RAG_STORAGE_REGION,
    bucket,
    accessKey: config.RAG_STORAGE_ACCESS_KEY,
    secretKey: await secret(config.RAG_STORAGE_SECRET_KEY)(),
  });
}
