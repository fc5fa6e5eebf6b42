import type { Log } from '../../ports/platform.ts';
import type { Driver, TraceContext } from './driver.ts';

/**
 * One log line for each call of the driver, by the driver's own hook: its name, its time, its error's code. Neither
 * statements nor values, which may hold what nobody but their owner may read.
 */
export function traceCalls(driver: Driver, log: Log): void {
  const startedAt = new WeakMap<TraceContext, number>();
  class CallTrace extends driver.traceHandler.TraceHandlerBase {
    override onEnterFn(context: TraceContext): void {
      startedAt.set(context, performance.now());
    }

    override onExitFn(context: TraceContext): void {
      const start = startedAt.get(context);
      log.info('database_call', {
        operation: context.operation,
        ms: start === undefined ? null : Math.round((performance.now() - start) * 10) / 10,
        ...(context.error === undefined ? {} : { error: context.error.code ?? 'unknown' }),
      });
    }
  }
  const trace = new CallTrace();
  driver.traceHandler.setTraceInstance(trace);
  trace.enable();
}
