import { messageOf } from '@binnacle/base';
import { ExecTimeoutError } from '@binnacle/runtime';
import type { Runtime } from '@binnacle/runtime';
import { httpRequest, portNumber } from '../container/http-action.ts';
import type { NetworkProbe } from '../network-probe.ts';
import type { ProbeTarget } from './prober.ts';
import type { ProbeResult } from './tally.ts';

const OUTPUT_MAX = 10 * 1024;

interface ProbeWorld {
  readonly runtime: Runtime;
  readonly network: NetworkProbe | undefined;
}

/** Makes one attempt of a probe: exec, httpGet, tcpSocket or grpc. Never throws. */
export async function attemptProbe(world: ProbeWorld, target: ProbeTarget): Promise<ProbeResult> {
  try {
    return await attempt(world, target);
  } catch (error) {
    // Nobody was asked: that says nothing about the container.
    return { kind: 'error', output: messageOf(error) };
  }
}

async function attempt(world: ProbeWorld, target: ProbeTarget): Promise<ProbeResult> {
  const { probe, container } = target;
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec !== undefined) return execAttempt(world.runtime, target, timeoutMs);
  // A network that nobody connected us to cannot be asked; simulated nodes have no addresses behind them.
  if (world.network === undefined) return { kind: 'success', output: '' };
  if (probe.httpGet !== undefined) {
    const request = httpRequest(probe.httpGet, { container, podIP: target.podIP, timeoutMs });
    const answer = await world.network.http(request);
    if ('error' in answer) return { kind: 'failure', output: answer.error };
    if (answer.status >= 200 && answer.status < 300) return { kind: 'success', output: answer.body };
    if (answer.status >= 300 && answer.status < 400) {
      const output = `Probe terminated redirects, Response body: ${answer.body}`;
      return { kind: 'success', output, isWarning: true };
    }
    return { kind: 'failure', output: `HTTP probe failed with statuscode: ${answer.status}` };
  }
  if (probe.tcpSocket !== undefined) {
    const host = probe.tcpSocket.host || target.podIP;
    const failure = await world.network.tcp(host, portNumber(probe.tcpSocket.port, container), timeoutMs);
    return failure === undefined ? { kind: 'success', output: '' } : { kind: 'failure', output: failure };
  }
  if (probe.grpc !== undefined) {
    const { port, service = '' } = probe.grpc;
    const failure = await world.network.grpc({ host: target.podIP, port, service, timeoutMs });
    return failure === undefined
      ? { kind: 'success', output: 'service healthy' }
      : { kind: 'failure', output: failure };
  }
  return { kind: 'error', output: 'missing probe handler' };
}

async function execAttempt(runtime: Runtime, target: ProbeTarget, timeoutMs: number): Promise<ProbeResult> {
  const command = target.probe.exec?.command ?? [];
  try {
    const result = await runtime.exec(target.containerId, command, timeoutMs);
    const text = new TextDecoder().decode(result.stdout) + new TextDecoder().decode(result.stderr);
    const output = text.slice(0, OUTPUT_MAX);
    return { kind: result.exitCode === 0 ? 'success' : 'failure', output };
  } catch (error) {
    if (error instanceof ExecTimeoutError) {
      return {
        kind: 'failure',
        output: `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s`,
      };
    }
    return { kind: 'error', output: messageOf(error) };
  }
}
