import { MonitoringAlarm } from '@cdktf/provider-oci/monitoring-alarm';
import { OnsNotificationTopic } from '@cdktf/provider-oci/ons-notification-topic';
import { OnsSubscription } from '@cdktf/provider-oci/ons-subscription';
import { Construct, type TerraformResource } from '../framework.ts';

interface ScheduleProps {
  name: string;
  compartmentId: string;
  databaseId: string;
  drainId: string;
  after: TerraformResource[];
}

/**
 * Drains every minute: an alarm that always fires, since its metric is one that the database itself has and its
 * threshold is below every value, repeats its message to a topic to which drain is subscribed. That it connects also
 * keeps an Always Free database from being stopped for idleness.
 */
export class Schedule extends Construct {
  constructor(scope: Construct, id: string, { name, compartmentId, databaseId, drainId, after }: ScheduleProps) {
    super(scope, id);
    const topic = new OnsNotificationTopic(this, 'topic', {
      compartmentId,
      // Unique in the tenancy.
      name: `${name}-drain`,
      description: 'Starts a drain',
    });
    const subscription = new OnsSubscription(this, 'drain', {
      compartmentId,
      topicId: topic.topicId,
      protocol: 'ORACLE_FUNCTIONS',
      endpoint: drainId,
      dependsOn: after,
    });
    new MonitoringAlarm(this, 'clock', {
      compartmentId,
      displayName: `${name}-clock`,
      namespace: 'oci_autonomous_database',
      metricCompartmentId: compartmentId,
      query: `CpuUtilization[5m]{resourceId = "${databaseId}"}.mean() >= 0`,
      severity: 'INFO',
      body: 'The schedule of the drain. It always fires; nothing is wrong.',
      messageFormat: 'RAW',
      pendingDuration: 'PT1M',
      repeatNotificationDuration: 'PT1M',
      destinations: [topic.topicId],
      isEnabled: true,
      dependsOn: [subscription],
    });
  }
}
