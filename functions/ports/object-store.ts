/** What a store knows of an object without reading it. */
export interface ObjectInfo {
  /** The whole name: documents/policies/leave.md/<digest>. */
  name: string;
  bytes: number;
  /** Changes with every write of the object. */
  etag: string;
  modifiedAt: Date;
}

export interface StoredObject extends ObjectInfo {
  content: Buffer;
  contentType: string | null;
}

/**
 * Where the bytes of files are kept as they came. Names are parts with `/` between them, none of them empty, `.` or `..`.
 * Throws Unavailable where the store cannot be reached.
 */
export interface ObjectStore {
  /** Writes an object, or overwrites it; a reader sees all of it or what was there before. */
  put(name: string, content: Buffer, contentType: string): Promise<void>;
  /** Null where there is none. Of more than `maxBytes`, TooLarge, without reading it. */
  get(name: string, maxBytes: number): Promise<StoredObject | null>;
  head(name: string): Promise<ObjectInfo | null>;
  /** One that is not there counts as removed. */
  remove(name: string): Promise<void>;
  /** Every object whose name begins with the prefix, in the order of the names' UTF-8 bytes. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
}
