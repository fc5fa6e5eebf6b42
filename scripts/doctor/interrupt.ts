import { Interrupted } from './finding.ts';

interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * Ends what runs at the first Ctrl-C, and leaves time to drop what it made; at the second one `giveUp` is called.
 * Returns the signal, and what takes the listeners off again.
 */
export function onInterrupt(
  source: SignalSource,
  { first, second }: { first(): void; second(): void },
): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) {
      second();
      return;
    }
    first();
    controller.abort(new Interrupted());
  };
  source.on('SIGINT', listener);
  source.on('SIGTERM', listener);
  return {
    signal: controller.signal,
    stop() {
      source.off('SIGINT', listener);
      source.off('SIGTERM', listener);
    },
  };
}
