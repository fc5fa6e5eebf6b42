import { ObjectstorageBucket } from '@cdktf/provider-oci/objectstorage-bucket';
import { ObjectstorageObjectLifecyclePolicy } from '@cdktf/provider-oci/objectstorage-object-lifecycle-policy';
import { Construct, type TerraformResource } from '../framework.ts';
import { keepData, pin } from './stateful.ts';

interface DocumentsProps {
  name: string;
  compartmentId: string;
  namespace: string;
  preventDestroy: boolean;
}

const PREVIOUS_VERSION_DAYS = '30';

/** The private bucket of the documents. It keeps earlier versions, and tells of each object that comes or goes. */
export class Documents extends Construct {
  readonly bucketName: string;
  readonly #namespace: string;

  constructor(scope: Construct, id: string, { name, compartmentId, namespace, preventDestroy }: DocumentsProps) {
    super(scope, id);
    const bucket = new ObjectstorageBucket(this, 'bucket', {
      compartmentId,
      namespace,
      name: `${name}-documents`,
      accessType: 'NoPublicAccess',
      versioning: 'Enabled',
      objectEventsEnabled: true,
      ...keepData(preventDestroy),
    });
    pin(bucket, 'documents');
    this.bucketName = bucket.name;
    this.#namespace = namespace;
  }

  /** Lets go of earlier versions after 30 days and of broken uploads after one; `after` what gives the service its right. */
  expireVersions(after: TerraformResource[]): void {
    new ObjectstorageObjectLifecyclePolicy(this, 'lifecycle', {
      bucket: this.bucketName,
      namespace: this.#namespace,
      rules: [
        {
          name: 'previous-versions',
          action: 'DELETE',
          isEnabled: true,
          target: 'previous-object-versions',
          timeAmount: PREVIOUS_VERSION_DAYS,
          timeUnit: 'DAYS',
        },
        {
          name: 'broken-uploads',
          action: 'ABORT',
          isEnabled: true,
          target: 'multipart-uploads',
          timeAmount: '1',
          timeUnit: 'DAYS',
        },
      ],
      dependsOn: after,
    });
  }
}
