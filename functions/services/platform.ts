import type { Nudge } from '../ports/platform.ts';
import { once } from './once.ts';
import { IN_OCI } from './setting.ts';

export async function openNudge(url: string): Promise<Nudge> {
  if (url.startsWith(IN_OCI)) {
    const { FunctionNudge, invokerAt } = await import('../adapters/oci/function-nudge.ts');
    const { origin, pathname } = new URL(url.slice(IN_OCI.length));
    return new FunctionNudge(invokerAt(origin), pathname.slice(1));
  }
  const { HttpNudge } = await import('../adapters/local/http-nudge.ts');
  return new HttpNudge(url);
}

/** Sends figures to where `oci:<namespace>:<compartment>` says. */
export function monitoring(setting: string): (figures: Record<string, number>) => Promise<void> {
  const [, namespace = '', compartmentId = ''] = setting.split(':');
  const adapter = once(async () => {
    const { monitoringOfFunction, postFigures } = await import('../adapters/oci/metrics.ts');
    return { client: monitoringOfFunction(), postFigures };
  });
  return async (figures) => {
    const { client, postFigures } = await adapter();
    await postFigures(client, { namespace, compartmentId }, figures);
  };
}
