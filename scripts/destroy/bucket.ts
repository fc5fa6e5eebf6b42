import type { ObjectStorageClient } from 'oci-objectstorage';
import { UserError } from '../user-error.ts';

/** How much is in a bucket. Versions count deleted objects too, as long as the bucket keeps them. */
export interface Contents {
  objects: number;
  versions: number;
  uploads: number;
  links: number;
}

/** At once; more would be answered with 429. */
const PARALLEL = 10;

/** One bucket and everything in it that keeps it from being deleted. */
export class Bucket {
  readonly name: string;
  readonly #client: ObjectStorageClient;
  readonly #where: { namespaceName: string; bucketName: string };

  constructor(client: ObjectStorageClient, namespaceName: string, bucketName: string) {
    this.name = bucketName;
    this.#client = client;
    this.#where = { namespaceName, bucketName };
  }

  /** Null where the bucket does not exist, or this user may not see it: the service tells them not apart. */
  async survey(): Promise<Contents | null> {
    const contents = { objects: 0, versions: 0, uploads: 0, links: 0 };
    const names = new Set<string>();
    try {
      await this.#client.headBucket(this.#where);
      for await (const page of this.#versions()) {
        contents.versions += page.length;
        for (const { name, isDeleteMarker } of page) if (!isDeleteMarker) names.add(name);
      }
      for await (const page of this.#uploads()) contents.uploads += page.length;
      for await (const page of this.#links()) contents.links += page.length;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw this.#explain(error);
    }
    return { ...contents, objects: names.size };
  }

  /** Deletes all of it; what is gone already is fine. `told` hears how many are deleted so far. */
  async empty(told: (deleted: number) => void): Promise<void> {
    let deleted = 0;
    const all = async <T>(list: AsyncIterable<T[]>, remove: (item: T) => Promise<unknown>) => {
      for await (const page of list) {
        for (let at = 0; at < page.length; at += PARALLEL) {
          const some = page.slice(at, at + PARALLEL);
          // All have ended before a failure is told: nothing is deleted behind anybody's back.
          const ended = await Promise.allSettled(some.map((item) => remove(item).catch(unlessGone)));
          const failed = ended.find((result) => result.status === 'rejected');
          if (failed !== undefined) throw failed.reason;
          deleted += some.length;
          told(deleted);
        }
      }
    };
    try {
      // Links and uploads first: through them, objects could come back.
      await all(this.#links(), ({ id }) => this.#client.deletePreauthenticatedRequest({ ...this.#where, parId: id }));
      await all(this.#uploads(), ({ object, uploadId }) =>
        this.#client.abortMultipartUpload({ ...this.#where, objectName: object, uploadId: inQuery(uploadId) }),
      );
      await all(this.#versions(), ({ name, versionId }) =>
        this.#client.deleteObject({
          ...this.#where,
          objectName: name,
          ...(versionId ? { versionId: inQuery(versionId) } : {}),
        }),
      );
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #versions() {
    return pages(async (page) => {
      const { objectVersionCollection, opcNextPage } = await this.#client.listObjectVersions({
        ...this.#where,
        ...page,
      });
      return { items: objectVersionCollection.items, next: opcNextPage };
    });
  }

  #uploads() {
    return pages(async (page) => {
      const { items, opcNextPage } = await this.#client.listMultipartUploads({ ...this.#where, ...page });
      return { items, next: opcNextPage };
    });
  }

  #links() {
    return pages(async (page) => {
      const { items, opcNextPage } = await this.#client.listPreauthenticatedRequests({ ...this.#where, ...page });
      return { items, next: opcNextPage };
    });
  }

  #explain(error: unknown): Error {
    const { message } = error as Error;
    const status = statusOf(error);
    const remedy =
      status === 401
        ? 'the key of the profile is not, or not any more, one of the user'
        : status === 403 || status === 404
          ? 'this user needs a policy: manage object-family in the compartment'
          : status === 409
            ? 'a retention rule may protect its objects'
            : 'run the same command again to go on';
    return new UserError(
      `Object Storage refuses at the bucket ${this.name} (${status ?? 'no answer'}: ${message}); ${remedy}`,
    );
  }
}

/** The pages of a list, each read when the one before it is dealt with. */
async function* pages<T>(
  read: (page: { page?: string }) => Promise<{ items: T[]; next: string | undefined }>,
): AsyncGenerator<T[]> {
  let next: string | undefined;
  do {
    const answer = await read(next ? { page: inQuery(next) } : {});
    yield answer.items;
    next = answer.next;
  } while (next);
}

/** The SDK puts what stands in a query there as it is: a + would arrive as a space. */
const inQuery = encodeURIComponent;

/** The SDK has -1 where no answer came. */
function statusOf(error: unknown): number | null {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode > 0 ? statusCode : null;
}

function unlessGone(error: unknown): void {
  if (statusOf(error) !== 404) throw error;
}
