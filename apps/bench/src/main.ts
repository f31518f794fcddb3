import { policies, webhooks } from './rows/admission.ts';
import { apply } from './rows/apply.ts';
import { clusterIp } from './rows/cluster-ip.ts';
import { execContainer, portForward } from './rows/container-streams.ts';
import { creates, gets } from './rows/creates.ts';
import { customKinds } from './rows/custom-kinds.ts';
import { dashboard } from './rows/dashboard.ts';
import { dns } from './rows/dns.ts';
import { firstByte } from './rows/first-byte.ts';
import { expressions } from './rows/expressions.ts';
import { fairness } from './rows/fairness.ts';
import { lists } from './rows/lists.ts';
import { networkPolicies } from './rows/network-policies.ts';
import { hundredPods, idlePods, probes } from './rows/node-at-work.ts';
import { runningContainerd, runningSimulated } from './rows/running.ts';
import { scheduling } from './rows/scheduling.ts';
import { services } from './rows/services.ts';
import { execEcho, proxying } from './rows/streams.ts';
import { deployments, garbage, indexedJob } from './rows/workloads.ts';
import { schedulerPerf } from './rows/scheduler-perf/all.ts';
import { traceOverhead } from './rows/trace.ts';
import { memory, start } from './rows/start-and-memory.ts';
import type { Measurement, Row } from './row.ts';

const MEASUREMENTS: readonly Measurement[] = [
  start,
  memory,
  creates,
  gets,
  traceOverhead,
  scheduling,
  runningSimulated,
  runningContainerd,
  hundredPods,
  idlePods,
  probes,
  services,
  networkPolicies,
  clusterIp,
  firstByte,
  ...schedulerPerf,
  deployments,
  indexedJob,
  garbage,
  dashboard,
  dns,
  apply,
  lists,
  customKinds,
  expressions,
  webhooks,
  policies,
  fairness,
  execEcho,
  execContainer,
  portForward,
  proxying,
];

function shownCpu({ cpu }: Row): string {
  if (cpu === undefined) return '';
  const threads = Object.entries(cpu.microseconds).map(([name, us]) => `${name} ${us}`);
  return `; CPU µs per ${cpu.operation}: ${threads.join(', ')}`;
}

function show(row: Row): string {
  const reference = row.reference === null ? '' : `  (${row.reference.name}: ${row.reference.value})`;
  return `${row.holds ? 'holds ' : 'MISSES'}  ${row.name}: ${row.value} ${row.unit}, budget ${row.budget}${reference}${shownCpu(row)}`;
}

const args = process.argv.slice(2);
const json = args.includes('--json');
const wanted = args.filter((a) => !a.startsWith('-'));
for (const measurement of MEASUREMENTS) {
  if (wanted.length > 0 && !wanted.includes(measurement.name)) continue;
  try {
    for (const row of await measurement.run()) process.stdout.write(`${json ? JSON.stringify(row) : show(row)}\n`);
  } catch (error) {
    process.stdout.write(
      `${json ? JSON.stringify({ name: measurement.name, error: String(error) }) : `FAILED  ${measurement.name}: ${String(error)}`}\n`,
    );
    process.exitCode = 1;
  }
}
