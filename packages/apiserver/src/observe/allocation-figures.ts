/** Addresses and ports of Services, in upstream's names (kubernetes/pkg/registry/core/service). */
import type { AllocationMeasures, AllocationScope, AllocationStanding, Measures } from '../ports/measures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ADDRESSES = 'kube_apiserver_clusterip_allocator';
const PORTS = 'kube_apiserver_nodeport_allocator';

export class AllocationFigures implements AllocationMeasures {
  readonly now: Measures['now'];
  readonly #addresses = new CounterFamily({
    name: `${ADDRESSES}_allocation_total`,
    help: 'Addresses given out.',
    labels: ['cidr', 'scope'],
  });
  readonly #addressErrors = new CounterFamily({
    name: `${ADDRESSES}_allocation_errors_total`,
    help: 'Addresses that could not be had.',
    labels: ['cidr', 'scope'],
  });
  readonly #addressSeconds = new HistogramFamily(
    { name: `${ADDRESSES}_allocation_duration_seconds`, help: 'How long an address took.', labels: ['cidr'] },
    SECONDS,
  );
  readonly #ports = new CounterFamily({
    name: `${PORTS}_allocation_total`,
    help: 'Ports given out.',
    labels: ['scope'],
  });
  readonly #portErrors = new CounterFamily({
    name: `${PORTS}_allocation_errors_total`,
    help: 'Ports that could not be had.',
    labels: ['scope'],
  });
  #standing: (() => AllocationStanding) | undefined;

  constructor(now: Measures['now']) {
    this.now = now;
  }

  address(cidr: string, scope: AllocationScope, seconds: number): void {
    this.#addresses.add([cidr, scope]);
    this.#addressSeconds.observe([cidr], seconds);
  }

  noAddress(cidr: string, scope: AllocationScope): void {
    this.#addressErrors.add([cidr, scope]);
  }

  ports(scope: AllocationScope, count: number): void {
    if (count > 0) this.#ports.add([scope], count);
  }

  noPort(scope: AllocationScope): void {
    this.#portErrors.add([scope]);
  }

  follow(standing: () => AllocationStanding): void {
    this.#standing = standing;
  }

  render(out: string[]): void {
    for (const family of [this.#addresses, this.#addressErrors, this.#addressSeconds]) family.render(out);
    for (const family of [this.#ports, this.#portErrors]) family.render(out);
    const now = this.#standing?.();
    if (now === undefined) return;
    for (const [what, name, help] of [
      ['allocated', 'allocated_ips', 'Addresses that Services have.'],
      ['available', 'available_ips', 'Addresses that are left.'],
    ] as const) {
      const gauge = new CounterFamily({ name: `${ADDRESSES}_${name}`, help, labels: ['cidr'], type: 'gauge' });
      for (const range of now.ranges) gauge.set([range.cidr], range[what]);
      gauge.render(out);
    }
    for (const [what, name, help] of [
      ['allocated', 'allocated_ports', 'Ports that Services have.'],
      ['available', 'available_ports', 'Ports that are left.'],
    ] as const) {
      const gauge = new CounterFamily({ name: `${PORTS}_${name}`, help, labels: [], type: 'gauge' });
      gauge.set([], now.ports[what]);
      gauge.render(out);
    }
  }
}
