import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Figures, logFigures } from '../../functions/adapters/local/figures.ts';
import { monitoringOfFunction, postFigures } from '../../functions/adapters/oci/metrics.ts';
import { OciServer, somePrincipal } from '../support/oci-server.ts';

describe('OCI Monitoring', () => {
  const principal = somePrincipal();
  const PLACE = { namespace: 'oci_rag_x', compartmentId: 'ocid1.compartment.oc1..c' };
  let server: OciServer;

  beforeEach(async () => {
    server = new OciServer();
    server.reply = { status: 200, body: { failedMetricsCount: 0, failedMetrics: [] } };
    await server.listen();
  });
  afterEach(() => server.close());

  const client = (timeoutMs?: number) => {
    const made = monitoringOfFunction(principal, timeoutMs);
    made.endpoint = server.url;
    return made;
  };

  test('takes figures at an endpoint of its own', () => {
    expect(monitoringOfFunction(principal).endpoint).toBe(
      'https://telemetry-ingestion.eu-frankfurt-1.oraclecloud.com/20180401',
    );
  });

  test('gets all figures in one signed call', async () => {
    const before = Date.now();
    await postFigures(client(), PLACE, { queue_waiting: 3, queue_age_seconds: 0 });

    expect(server.asked).toHaveLength(1);
    const [{ method, url, headers, body } = {} as never] = server.asked;
    expect([method, url]).toEqual(['POST', '/20180401/metrics']);
    expect(headers.authorization).toMatch(/^Signature /);
    const { metricData } = JSON.parse(body);
    expect(metricData).toEqual(
      [
        ['queue_waiting', 3],
        ['queue_age_seconds', 0],
      ].map(([name, value]) => ({
        ...PLACE,
        name,
        dimensions: { product: 'oci-rag' },
        datapoints: [{ timestamp: expect.any(String), value }],
      })),
    );
    expect(Date.parse(metricData[0].datapoints[0].timestamp)).toBeGreaterThanOrEqual(before);
  });

  test('that takes only some of them has failed, and says which', async () => {
    const failedMetrics = [{ message: 'no such thing', metricData: { name: 'queue_waiting' } }];
    server.reply = { status: 200, body: { failedMetricsCount: 1, failedMetrics } };

    await expect(postFigures(client(), PLACE, { queue_waiting: 3 })).rejects.toThrow('queue_waiting: no such thing');
  });

  test.each([401, 429, 503])('that refuses (%d) is not asked again', async (status) => {
    server.reply = { status, body: { code: 'NotNow', message: 'not now' } };

    await expect(postFigures(client(), PLACE, { queue_waiting: 3 })).rejects.toThrow('not now');
    expect(server.asked).toHaveLength(1);
  });

  test('that does not answer is waited for no longer than the time limit', async () => {
    server.reply = null;
    const startedAt = performance.now();

    await expect(postFigures(client(200), PLACE, { queue_waiting: 3 })).rejects.toThrow('no answer');
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });
});

describe('figures', () => {
  test('are sent together: a count as its sum, a gauge as it was last; and only once', async () => {
    const sent: object[] = [];
    const figures = new Figures(async (one) => void sent.push(one));
    figures.count('parked', 1);
    figures.count('parked', 2);
    figures.gauge('waiting', 5);
    figures.gauge('waiting', 4);
    await figures.flush();
    await figures.flush();

    expect(sent).toEqual([{ parked: 3, waiting: 4 }]);
  });

  test('in the log are a line where something has changed', async () => {
    const lines: unknown[] = [];
    const send = logFigures({ info: (...line) => lines.push(line), warn() {}, error() {} });
    for (const waiting of [0, 0, 1]) await send({ waiting });

    expect(lines).toEqual([
      ['metrics', { waiting: 0 }],
      ['metrics', { waiting: 1 }],
    ]);
  });
});
