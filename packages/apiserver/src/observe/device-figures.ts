/** How pods wait for their devices, in upstream's names (pkg/scheduler/metrics). */
import type { DeviceMeasures, DeviceWait } from '@binnacle/base';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Figures } from './series.ts';

const LABELS = ['profile', 'driver', 'status'];
/** From a tenth of a second on, each twice the one before. */
const SECONDS = Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i);

export class DeviceFigures implements DeviceMeasures, Figures {
  readonly #allocations = new CounterFamily({
    name: 'scheduler_dra_bindingconditions_allocations_total',
    help: 'Devices that had to be made ready for a pod before it was bound, by how the wait for them ended.',
    labels: LABELS,
  });
  readonly #waits = new HistogramFamily(
    {
      name: 'scheduler_dra_bindingconditions_wait_duration_seconds',
      help: 'How long pods waited until their devices were ready.',
      labels: LABELS,
    },
    SECONDS,
  );

  ended({ profile, status, seconds, devices }: DeviceWait): void {
    for (const { driver, awaited } of devices) {
      const values = [profile, driver, status];
      this.#waits.observe(values, seconds);
      const allocations = awaited ? this.#allocations.series(values) : undefined;
      if (allocations !== undefined) allocations.count++;
    }
  }

  render(out: string[]): void {
    this.#allocations.render(out);
    this.#waits.render(out);
  }
}
