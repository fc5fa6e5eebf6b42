import { MonitoringAlarm } from '@cdktf/provider-oci/monitoring-alarm';
import { OnsNotificationTopic } from '@cdktf/provider-oci/ons-notification-topic';
import { OnsSubscription } from '@cdktf/provider-oci/ons-subscription';
import { Construct } from '../framework.ts';

interface AlarmsProps {
  name: string;
  compartmentId: string;
  emails: string[];
  applicationId: string;
  databaseId: string;
  /** The namespace of the product's own metrics. */
  metricsNamespace: string;
}

interface AlarmText {
  id: string;
  namespace: string;
  query: string;
  severity: 'CRITICAL' | 'ERROR' | 'WARNING' | 'INFO';
  body: string;
}

const DATABASE = 'oci_autonomous_database';
const LATE_SECONDS = 600;
const LINK_ENDS_HOURS = 2;

const texts = ({ applicationId, databaseId, metricsNamespace }: AlarmsProps): AlarmText[] => [
  {
    id: 'stalling',
    namespace: metricsNamespace,
    query: 'queue_stalling[5m].max() > 0',
    severity: 'WARNING',
    body: 'A source has failed three times or more. GET /v1/status counts it; the log of drain names it and says why.',
  },
  {
    id: 'parked',
    namespace: metricsNamespace,
    query: 'queue_parked[5m].max() > 0',
    severity: 'ERROR',
    body: 'A source was given up after its last attempt. Mend what the log of drain says, then POST /v1/queue/requeue.',
  },
  {
    id: 'late',
    namespace: metricsNamespace,
    query: `queue_age_seconds[5m].min() > ${LATE_SECONDS}`,
    severity: 'WARNING',
    body: 'What was written ten minutes ago is not indexed yet: answers are out of date. Look at the log of drain.',
  },
  {
    id: 'function-errors',
    namespace: 'oci_faas',
    query: `FunctionResponseCount[5m]{applicationId = "${applicationId}", responseType = "Error"}.sum() > 0`,
    severity: 'ERROR',
    body: 'A function has failed or run out of time. Its log says which call, and why.',
  },
  {
    id: 'database-unavailable',
    namespace: DATABASE,
    query: `DatabaseAvailability[5m]{resourceId = "${databaseId}"}.mean() < 1`,
    severity: 'CRITICAL',
    body: 'The database does not take connections.',
  },
  {
    id: 'database-stopped',
    namespace: DATABASE,
    // It fires while values are absent, for as long as the longest period in which they are looked for.
    query: `CpuUtilization[5m]{resourceId = "${databaseId}"}.groupBy(resourceId).absent(3d)`,
    severity: 'CRITICAL',
    body: 'The database tells nothing of itself: it is stopped. Start it in the console; the schedule goes on by itself.',
  },
  {
    id: 'model-link',
    namespace: metricsNamespace,
    query: `model_source_hours_left[5m].min() < ${LINK_ENDS_HOURS}`,
    severity: 'INFO',
    body:
      'The link from which bootstrap loads the embedding model ends soon. A model that is loaded stays; for another ' +
      'bootstrap of an empty database, deploy with another DEPLOY_MODEL_LINK.',
  },
  {
    id: 'model-retirement',
    namespace: metricsNamespace,
    query: 'model_retirement[1h].max() > 0',
    severity: 'WARNING',
    body: 'The language model is about to be retired; its service says so with its answers. Choose its successor.',
  },
];

/** What operators are told of, by e-mail. */
export class Alarms extends Construct {
  /** The topic, for other news to operators. */
  readonly topicId: string;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { name, compartmentId, emails } = props;
    const topic = new OnsNotificationTopic(this, 'topic', {
      compartmentId,
      name: `${name}-operators`,
      description: 'What operators are told of',
    });
    this.topicId = topic.topicId;
    for (const email of new Set(emails)) {
      // The address in letters that a construct's name may have, each one in its own way.
      new OnsSubscription(this, `email-${Buffer.from(email).toString('hex')}`, {
        compartmentId,
        topicId: topic.topicId,
        protocol: 'EMAIL',
        endpoint: email,
      });
    }
    for (const { id: alarm, namespace, query, severity, body } of texts(props)) {
      new MonitoringAlarm(this, alarm, {
        compartmentId,
        displayName: `${name}-${alarm}`,
        namespace,
        metricCompartmentId: compartmentId,
        query,
        severity,
        body,
        messageFormat: 'ONS_OPTIMIZED',
        pendingDuration: 'PT5M',
        repeatNotificationDuration: 'PT12H',
        destinations: [topic.topicId],
        isEnabled: true,
      });
    }
  }
}
