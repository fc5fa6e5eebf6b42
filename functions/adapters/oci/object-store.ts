import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitBreaker, DefaultRequestSigner, type HttpClient, NoRetryConfigurationDetails } from 'oci-common';
import { ObjectStorageClient } from 'oci-objectstorage';
import { fieldsOf, stringOf } from '../../core/completion.ts';
import { AppError, NotInForce, SetupFailed, Unavailable } from '../../core/errors.ts';
import { readWithin, requireObjectName, tooLarge } from '../../core/objects.ts';
import type { ObjectInfo, ObjectStore, StoredObject } from '../../ports/object-store.ts';
import { functionPrincipal, type Principal } from './client.ts';

export interface BucketPlace {
  namespace: string;
  bucket: string;
  /** As whom it is asked, and in which region it is; the function itself where it is left out. */
  principal?: Principal;
  /** Instead of the region's. */
  endpoint?: string;
  /** The longest that a call may take with all its tries; a connection may take ten seconds of it. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
/** A try that fails at once is made again after these: a function that was asleep has connections that are gone. */
const WAITS_MS = [200, 800];
const PAGE = 1000;
const FIELDS = 'name,size,etag,timeModified';

type Right = 'read objects' | 'manage objects';

/** A bucket of OCI Object Storage. */
export class BucketStore implements ObjectStore {
  readonly #where: { namespaceName: string; bucketName: string };
  readonly #principal: Principal;
  readonly #signer: DefaultRequestSigner;
  readonly #endpoint: string | undefined;
  readonly #timeoutMs: number;

  constructor({ namespace, bucket, principal = functionPrincipal(), endpoint, timeoutMs = TIMEOUT_MS }: BucketPlace) {
    this.#where = { namespaceName: namespace, bucketName: bucket };
    this.#principal = principal;
    this.#signer = new DefaultRequestSigner(principal);
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
  }

  async put(name: string, content: Buffer, contentType: string): Promise<void> {
    const object = {
      ...this.#object(name),
      putObjectBody: content,
      contentLength: content.length,
      contentMD5: createHash('md5').update(content).digest('base64'),
      contentType,
    };
    await this.#ask('manage objects', (client) => client.putObject(object));
  }

  async get(name: string, maxBytes: number): Promise<StoredObject | null> {
    const object = this.#object(name);
    return this.#ask('read objects', async (client, http) => {
      const answer = await client.getObject(object);
      const body = answer.value as ReadableStream<Uint8Array>;
      if (answer.contentLength > maxBytes) {
        await body.cancel();
        throw tooLarge(answer.contentLength, maxBytes);
      }
      const content = await readWithin(body, maxBytes);
      return {
        name,
        content,
        bytes: content.length,
        etag: answer.eTag,
        modifiedAt: http.lastModified,
        contentType: answer.contentType || null,
      };
    });
  }

  /** By the list, of which a name is the first that begins with it: an answer to HEAD tells not what is missing. */
  async head(name: string): Promise<ObjectInfo | null> {
    requireObjectName(name);
    const { objects } = await this.#page({ prefix: name, limit: 1 });
    return objects.find((object) => object.name === name) ?? null;
  }

  async remove(name: string): Promise<void> {
    const object = this.#object(name);
    await this.#ask('manage objects', (client) => client.deleteObject(object));
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    let start: string | undefined;
    do {
      const { objects, next } = await this.#page({ prefix, limit: PAGE, ...(start !== undefined && { start }) });
      yield* objects;
      start = next;
    } while (start !== undefined);
  }

  #object(name: string) {
    requireObjectName(name);
    return { ...this.#where, objectName: name };
  }

  async #page({ prefix, start, limit }: { prefix: string; start?: string; limit: number }) {
    const request = {
      ...this.#where,
      prefix: inQuery(prefix),
      ...(start !== undefined && { start: inQuery(start) }),
      limit,
      fields: FIELDS,
    };
    const page = await this.#ask('read objects', (client) => client.listObjects(request));
    const { objects = [], nextStartWith } = page?.listObjects ?? {};
    return {
      objects: objects.map(
        ({ name, size = 0, etag = '', timeModified = 0 }): ObjectInfo => ({
          name,
          bytes: size,
          etag,
          modifiedAt: new Date(timeModified),
        }),
      ),
      next: nextStartWith || undefined,
    };
  }

  /** What a call gives; null where there is no such object. Every call may be made again: it does the same. */
  async #ask<T>(right: Right, call: (client: ObjectStorageClient, http: OneCall) => Promise<T>): Promise<T | null> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    for (let tries = 0; ; tries++) {
      const http = new OneCall(this.#signer, signal);
      try {
        const answer = await call(this.#client(http), http);
        if (http.refusal === null) return answer;
      } catch (error) {
        if (error instanceof AppError) throw error;
        // Nothing came, or it broke off, or a refusal was read as an answer.
        http.refusal ??= { status: 0, code: 'NoAnswer', cause: error };
      }
      if (http.refusal.code === 'ObjectNotFound') return null;
      const wait = WAITS_MS[tries];
      if (!isPassing(http.refusal) || wait === undefined || signal.aborted) throw this.#explain(http.refusal, right);
      await sleep(wait);
    }
  }

  #client(httpClient: HttpClient): ObjectStorageClient {
    const client = new ObjectStorageClient(
      { httpClient },
      {
        retryConfiguration: NoRetryConfigurationDetails,
        circuitBreaker: new CircuitBreaker({ disableClientCircuitBreaker: true }),
      },
    );
    if (this.#endpoint === undefined) client.region = this.#principal.getRegion();
    else client.endpoint = this.#endpoint;
    return client;
  }

  #explain(refusal: Refusal, right: Right): Error {
    const { status, code, cause } = refusal;
    if (isPassing(refusal)) return new Unavailable('The object store does not answer', { cause, retryAfterSeconds: 5 });
    const { namespaceName, bucketName } = this.#where;
    const said = `HTTP ${status} ${code}`;
    if (status !== 401 && status !== 403 && status !== 404)
      return new Error(`Object Storage refuses: ${said}`, { cause });
    const notYet = new NotInForce(`the bucket ${bucketName} cannot be used (${said})`, { cause });
    const needs = `a policy must let this function ${right} where target.bucket.name = '${bucketName}'`;
    const what =
      status === 404
        ? `There is no bucket ${bucketName} in the namespace ${namespaceName} that this function may use (${said}): RAG_STORAGE ` +
          `must name one that exists in its region, and ${needs}`
        : `Object Storage refuses this function at the bucket ${bucketName} of the namespace ${namespaceName} (${said}): ${needs}`;
    return new SetupFailed(what, { cause: notYet });
  }
}

interface Refusal {
  /** Of HTTP; 0 where nothing came back. */
  status: number;
  code: string;
  cause?: unknown;
}

const isPassing = ({ status }: Refusal): boolean => status === 0 || status === 429 || status >= 500;

/** The SDK puts what stands in a query there as it is. */
const inQuery = encodeURIComponent;

/** One request of the SDK's client. */
class OneCall implements HttpClient {
  refusal: Refusal | null = null;
  /** The SDK makes of it a local time that says it were UTC. */
  lastModified = new Date(0);
  readonly #signer: DefaultRequestSigner;
  readonly #signal: AbortSignal;

  constructor(signer: DefaultRequestSigner, signal: AbortSignal) {
    this.#signer = signer;
    this.#signal = signal;
  }

  /**
   * A refusal is kept, and the SDK told that all is well: it would write it to the console, and one that something is
   * not there is no fault. The body is not signed (its MD5 is sent), since the SDK would read it as text for that.
   */
  async send(request: Parameters<HttpClient['send']>[0]): Promise<Response> {
    // The signature is made of an address in which an apostrophe is written so.
    const uri = request.uri.replaceAll("'", '%27');
    const { method, headers, body } = request;
    try {
      await this.#signer.signHttpRequest({ method, headers, uri }, true);
      const response = await fetch(uri, { method, headers, body, signal: this.#signal });
      if (response.ok) {
        this.lastModified = new Date(response.headers.get('last-modified') ?? 0);
        return response;
      }
      const { code, message } = fieldsOf(await response.json().catch(() => null));
      const cause = new Error(stringOf(message) || 'no words');
      this.refusal = { status: response.status, code: stringOf(code), cause };
    } catch (cause) {
      this.refusal = { status: 0, code: 'NoAnswer', cause };
    }
    return new Response(null, { status: 204 });
  }
}
