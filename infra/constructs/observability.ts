import { LoggingLog } from '@cdktf/provider-oci/logging-log';
import { LoggingLogGroup } from '@cdktf/provider-oci/logging-log-group';
import { Construct } from '../framework.ts';

interface ObservabilityProps {
  name: string;
  compartmentId: string;
  retentionDays: number;
  applicationId: string;
  deploymentId: string;
}

/** The logs of the functions and of the gateway. */
export class Observability extends Construct {
  readonly logGroupId: string;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { name, compartmentId, retentionDays, applicationId, deploymentId } = props;
    const group = new LoggingLogGroup(this, 'group', { compartmentId, displayName: name });
    const log = (service: string, category: string, resource: string) =>
      new LoggingLog(this, `${service}-${category}`, {
        displayName: `${name}-${service}-${category}`,
        logGroupId: group.id,
        logType: 'SERVICE',
        isEnabled: true,
        retentionDuration: retentionDays,
        configuration: {
          compartmentId,
          source: { sourceType: 'OCISERVICE', service, category, resource },
        },
      });
    log('functions', 'invoke', applicationId);
    log('apigateway', 'access', deploymentId);
    log('apigateway', 'execution', deploymentId);
    this.logGroupId = group.id;
  }
}
