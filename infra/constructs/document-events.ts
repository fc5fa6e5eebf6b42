import { EventsRule } from '@cdktf/provider-oci/events-rule';
import { Construct, type TerraformResource } from '../framework.ts';

interface DocumentEventsProps {
  name: string;
  compartmentId: string;
  bucketName: string;
  ingestId: string;
  after: TerraformResource[];
}

const OBJECT_EVENTS = ['createobject', 'updateobject', 'deleteobject'];

/** Tells ingest of every object under documents/ that comes, changes or goes. */
export class DocumentEvents extends Construct {
  constructor(scope: Construct, id: string, { name, compartmentId, bucketName, ingestId, after }: DocumentEventsProps) {
    super(scope, id);
    new EventsRule(this, 'rule', {
      compartmentId,
      displayName: `${name}-documents`,
      isEnabled: true,
      condition: JSON.stringify({
        eventType: OBJECT_EVENTS.map((event) => `com.oraclecloud.objectstorage.${event}`),
        data: { additionalDetails: { bucketName: [bucketName] }, resourceName: ['documents/*'] },
      }),
      actions: { action: [{ actionType: 'FAAS', isEnabled: true, functionId: ingestId }] },
      dependsOn: after,
    });
  }
}
