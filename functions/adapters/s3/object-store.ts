import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { AppError, SetupFailed, Unavailable } from '../../core/errors.ts';
import { readWithin, requireObjectName, tooLarge } from '../../core/objects.ts';
import type { ObjectInfo, ObjectStore, StoredObject } from '../../ports/object-store.ts';

export interface S3Place {
  /** Of the service, such as http://127.0.0.1:9000. */
  url: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** The longest that a call may take with all its tries; a connection may take ten seconds of it. */
  timeoutMs?: number;
}

const CONNECT_MS = 10_000;
const TIMEOUT_MS = 30_000;
const MAX_TRIES = 3;

/** A bucket of any service that speaks S3. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #timeoutMs: number;

  constructor({ url, region, bucket, accessKey, secretKey, timeoutMs = TIMEOUT_MS }: S3Place) {
    this.#bucket = bucket;
    this.#timeoutMs = timeoutMs;
    this.#client = new S3Client({
      endpoint: url,
      region,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      // The bucket in the path: not every service has a host for each.
      forcePathStyle: true,
      // Others than Amazon's know the newer checksums not at all.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: MAX_TRIES,
      requestHandler: { connectionTimeout: Math.min(CONNECT_MS, timeoutMs) },
    });
  }

  async put(name: string, content: Buffer, contentType: string): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#object(name),
      Body: content,
      ContentLength: content.length,
      ContentMD5: createHash('md5').update(content).digest('base64'),
      ContentType: contentType,
    });
    await this.#ask('write', (options) => this.#client.send(command, options));
  }

  async get(name: string, maxBytes: number): Promise<StoredObject | null> {
    const command = new GetObjectCommand(this.#object(name));
    return this.#ask('read', async (options) => {
      const { Body, ContentLength = 0, ContentType, ETag, LastModified } = await this.#client.send(command, options);
      const body = Body as (AsyncIterable<Uint8Array> & { destroy(): void }) | undefined;
      if (ContentLength > maxBytes) {
        body?.destroy();
        throw tooLarge(ContentLength, maxBytes);
      }
      const content = body === undefined ? Buffer.alloc(0) : await readWithin(body, maxBytes);
      const info = infoOf({ Key: name, Size: content.length, ETag, LastModified });
      return { ...info, content, contentType: ContentType ?? null };
    });
  }

  /** By the list, of which a name is the first that begins with it: an answer to HEAD tells not what is missing. */
  async head(name: string): Promise<ObjectInfo | null> {
    requireObjectName(name);
    const { objects } = await this.#page(name, undefined, 1);
    return objects.find((object) => object.name === name) ?? null;
  }

  async remove(name: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(name));
    await this.#ask('delete', (options) => this.#client.send(command, options));
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    let token: string | undefined;
    do {
      const { objects, next } = await this.#page(prefix, token);
      yield* objects;
      token = next;
    } while (token !== undefined);
  }

  #object(name: string) {
    requireObjectName(name);
    return { Bucket: this.#bucket, Key: name };
  }

  async #page(prefix: string, token: string | undefined, limit?: number) {
    const command = new ListObjectsV2Command({
      Bucket: this.#bucket,
      Prefix: prefix,
      ContinuationToken: token,
      MaxKeys: limit,
      // XML has no control characters.
      EncodingType: 'url',
    });
    const page = await this.#ask('list', (options) => this.#client.send(command, options));
    const { Contents = [], EncodingType, NextContinuationToken } = page ?? ({} as ListObjectsV2CommandOutput);
    const objects = Contents.map((found) => infoOf({ ...found, Key: nameOf(found.Key ?? '', EncodingType === 'url') }));
    return { objects, next: NextContinuationToken };
  }

  /** What a call gives; null where there is no such object. */
  async #ask<T>(what: string, call: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T | null> {
    try {
      return await call({ abortSignal: AbortSignal.timeout(this.#timeoutMs) });
    } catch (error) {
      if (error instanceof AppError) throw error;
      const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
      if (name === 'NoSuchKey') return null;
      throw this.#explain($metadata?.httpStatusCode ?? 0, name, what, error);
    }
  }

  #explain(status: number, code: string, what: string, cause: unknown): Error {
    if (status === 0 || status === 429 || status >= 500) {
      return new Unavailable('The object store does not answer', { cause, retryAfterSeconds: 5 });
    }
    const said = `HTTP ${status} ${code}`;
    if (status === 404) {
      return new SetupFailed(
        `There is no bucket ${this.#bucket} at RAG_STORAGE_URL (${said}): RAG_STORAGE must name one that exists`,
        { cause },
      );
    }
    if (status === 401 || status === 403) {
      return new SetupFailed(
        `The object store refuses to ${what} in the bucket ${this.#bucket} (${said}): RAG_STORAGE_ACCESS_KEY and ` +
          'RAG_STORAGE_SECRET_KEY must belong to somebody who may read, write, delete and list there',
        { cause },
      );
    }
    if (status === 301 || status === 307) {
      return new SetupFailed(
        `The bucket ${this.#bucket} is elsewhere (${said}): RAG_STORAGE_URL and RAG_STORAGE_REGION must be its own`,
        { cause },
      );
    }
    return new Error(`the object store refuses to ${what}: ${said}`, { cause });
  }
}

interface Found {
  Key?: string | undefined;
  Size?: number | undefined;
  ETag?: string | undefined;
  LastModified?: Date | undefined;
}

const infoOf = ({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }: Found): ObjectInfo => ({
  name: Key,
  bytes: Size,
  // Some put it in quotes in each answer, some in the answers to GET alone.
  etag: ETag.replace(/^"|"$/g, ''),
  modifiedAt: LastModified,
});

/** A service that does not know the encoding leaves names as they are. */
const nameOf = (key: string, isEncoded: boolean): string =>
  isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key;
