import { parseArgs } from 'node:util';
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

const USAGE = `npm run bench [-- FLAG… ROW…]: builds the package and measures it, all rows or those that are named
  --json  an object for each figure
  --list  names the rows, and measures none`;

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n\n${USAGE}\n`);
  process.exit(2);
}

function typed(): { readonly json: boolean; readonly list: boolean; readonly help: boolean; readonly rows: string[] } {
  const flag = { type: 'boolean', default: false } as const;
  const options = { json: flag, list: flag, help: { ...flag, short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    return { ...values, rows: positionals };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

async function measure(measurement: Measurement, json: boolean): Promise<void> {
  try {
    for (const row of await measurement.run()) process.stdout.write(`${json ? JSON.stringify(row) : show(row)}\n`);
  } catch (error) {
    process.stdout.write(
      `${json ? JSON.stringify({ name: measurement.name, error: String(error) }) : `FAILED  ${measurement.name}: ${String(error)}`}\n`,
    );
    process.exitCode = 1;
  }
}

const { json, list, help, rows } = typed();
const names = MEASUREMENTS.map(({ name }) => name);
const unknown = rows.find((row) => !names.includes(row));
const wanted = MEASUREMENTS.filter(({ name }) => rows.length === 0 || rows.includes(name));
if (help) process.stdout.write(`${USAGE}\n  rows: ${names.join(' ')}\n`);
else if (unknown !== undefined) refuse(`there is no row ${JSON.stringify(unknown)}; there are: ${names.join(' ')}`);
else if (list) process.stdout.write(wanted.map(({ name }) => `${name}\n`).join(''));
else for (const measurement of wanted) await measure(measurement, json);
