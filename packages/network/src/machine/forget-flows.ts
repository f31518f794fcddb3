import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { RunTool } from './run-tool.ts';

/** Flows that are forgotten in one change. */
const FLOWS_MAX = 1000;

/** Has the kernel forget connections, by the machine's `conntrack`; where that is not installed, says so once. */
export class FlowForgetter {
  readonly #run: RunTool;
  readonly #log: Logger;
  #can = true;

  constructor(run: RunTool, log: Logger) {
    this.#run = run;
    this.#log = log;
  }

  /** Arguments of `conntrack`, as `staleFlows` tells them. */
  async forget(flows: readonly (readonly string[])[]): Promise<void> {
    if (!this.#can) return;
    for (const flow of flows.slice(0, FLOWS_MAX)) {
      try {
        await this.#run(['conntrack', ...flow]);
      } catch (error) {
        const reason = messageOf(error);
        // It ends so when there was nothing to forget.
        if (reason.includes('0 flow entries')) continue;
        this.#can = !reason.includes('ENOENT');
        this.#log.warn('UDP clients may be sent to places that are gone until they pause', { reason });
        return;
      }
    }
  }
}
