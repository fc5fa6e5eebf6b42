import { ObjectstorageBucket } from '@cdktf/provider-oci/objectstorage-bucket';
import { ObjectstorageObject } from '@cdktf/provider-oci/objectstorage-object';
import { ObjectstoragePreauthrequest } from '@cdktf/provider-oci/objectstorage-preauthrequest';
import { MODEL_FILE } from '../../scripts/model/model-file.ts';
import { Construct, Fn } from '../framework.ts';

/** The model's file on this machine; null while it is not fetched. */
export interface ModelFile {
  path: string;
  sha256: string;
}

interface ModelBundleProps {
  name: string;
  compartmentId: string;
  namespace: string;
  region: string;
  file: ModelFile | null;
  /** How long the link lasts. */
  linkHours: number;
  /** Another number makes a new link. */
  linkNumber: number;
}

/** Stands for the digest of the model that is not there. */
export const NO_MODEL = 'placeholder-model';
const DIGEST_CHARACTERS = 12;

/**
 * The embedding model in a private bucket, and a link to that one object, from which the database loads it. The name
 * holds the content's digest: another content is another object, and the same content is never sent again, whatever
 * path or time the file has.
 */
export class ModelBundle extends Construct {
  readonly bucketName: string;
  /** The link, an expression that Terraform resolves and does not print. */
  readonly sourceUrl: string;
  /** When the link ends, RFC 3339. */
  readonly linkExpires: string;
  /** What stands for the model's content. */
  readonly digest: string;

  constructor(scope: Construct, id: string, props: ModelBundleProps) {
    super(scope, id);
    const { name, compartmentId, namespace, region, file, linkHours, linkNumber } = props;
    const bucket = new ObjectstorageBucket(this, 'bucket', {
      compartmentId,
      namespace,
      name: `${name}-model`,
      accessType: 'NoPublicAccess',
    });
    this.bucketName = bucket.name;
    this.digest = file?.sha256.slice(0, DIGEST_CHARACTERS) ?? NO_MODEL;
    const object = new ObjectstorageObject(this, 'object', {
      namespace,
      bucket: bucket.name,
      object: `models/${this.digest}/${MODEL_FILE}`,
      contentType: 'application/octet-stream',
      ...(file === null
        ? { content: 'no model was there; run npm run model:fetch and deploy again' }
        : { source: file.path }),
      // The provider compares the file's path and time rather than its content.
      lifecycle: { ignoreChanges: ['source'] },
    });
    const link = new ObjectstoragePreauthrequest(this, 'link', {
      namespace,
      bucket: bucket.name,
      name: `${name}-model-${this.digest}-${linkNumber}`,
      accessType: 'ObjectRead',
      objectName: object.object,
      timeExpires: `\${timeadd(plantimestamp(), "${linkHours}h")}`,
      // Set once: every later plan would reckon another time, and a new link with it.
      lifecycle: { ignoreChanges: ['time_expires'] },
    });
    this.sourceUrl = Fn.sensitive(`https://objectstorage.${region}.oraclecloud.com${link.accessUri}`);
    this.linkExpires = link.timeExpires;
  }
}
