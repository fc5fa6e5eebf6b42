import { EndpointBuilder } from 'oci-common';
import { MonitoringClient } from 'oci-monitoring';
import { functionPrincipal, onceWithin, type Principal, toError } from './client.ts';

const TIMEOUT_MS = 3000;

/** Figures are posted to another host than they are read from. */
const INGESTION = 'https://telemetry-ingestion.{region}.{secondLevelDomain}';

/** A client of the region's ingestion endpoint. */
export function monitoringOfFunction(
  principal: Principal = functionPrincipal(),
  timeoutMs = TIMEOUT_MS,
): MonitoringClient {
  const client = new MonitoringClient({ authenticationDetailsProvider: principal }, onceWithin(timeoutMs));
  client.endpoint = EndpointBuilder.createEndpointFromRegion(INGESTION, principal.getRegion());
  return client;
}

/** Posts figures to OCI Monitoring, all in one call. Throws where one of them was not taken. */
export async function postFigures(
  client: MonitoringClient,
  { namespace, compartmentId }: { namespace: string; compartmentId: string },
  figures: Record<string, number>,
): Promise<void> {
  const timestamp = new Date();
  const metricData = Object.entries(figures).map(([name, value]) => ({
    namespace,
    compartmentId,
    name,
    // At least one is asked for.
    dimensions: { product: 'oci-rag' },
    datapoints: [{ timestamp, value }],
  }));
  const { postMetricDataResponseDetails: answer } = await client
    .postMetricData({ postMetricDataDetails: { metricData } })
    .catch((thrown: unknown) => {
      throw toError(thrown);
    });
  const [first] = answer.failedMetrics ?? [];
  if (answer.failedMetricsCount > 0) {
    throw new Error(`${answer.failedMetricsCount} figures were refused: ${first?.metricData.name}: ${first?.message}`);
  }
}
