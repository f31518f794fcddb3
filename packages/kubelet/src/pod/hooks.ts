import { hostPort, messageOf, sleep } from '@binnacle/base';
import type { Container, HTTPGetAction, LifecycleHandler, Pod } from '@binnacle/api/core/v1';
import { httpRequest } from '../container/http-action.ts';
import { MESSAGE_BYTES_MAX } from './termination-message.ts';
import type { PodWorld } from './world.ts';

const HOOK_TIMEOUT_MS = 600_000;

export interface HookCall {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly podIP: string;
  /** Gives up then; absent: ten minutes. */
  readonly timeoutMs?: number;
}

/** Runs a postStart or preStop handler. Answers with what went wrong, or undefined. */
export async function runHook(world: PodWorld, handler: LifecycleHandler, call: HookCall): Promise<string | undefined> {
  const timeoutMs = call.timeoutMs ?? HOOK_TIMEOUT_MS;
  try {
    if (handler.exec !== undefined) {
      const command = handler.exec.command ?? [];
      const result = await world.runtime.exec(call.containerId, command, timeoutMs);
      if (result.exitCode === 0) return undefined;
      const output = result.stderr.length > 0 ? result.stderr : result.stdout;
      // A runtime hands on megabytes of what a container says.
      const told = new TextDecoder().decode(output.subarray(0, MESSAGE_BYTES_MAX), { stream: true });
      return `command '${command.join(' ')}' exited with ${result.exitCode}: ${told}`;
    }
    if (handler.httpGet !== undefined) return await httpHook(world, handler.httpGet, { ...call, timeoutMs });
    if (handler.sleep !== undefined) await sleep(world.clock, Math.min(timeoutMs, handler.sleep.seconds * 1000));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Any answer will do, whatever its status. Who is to be asked by TLS and does not speak it is asked without. */
async function httpHook(
  world: PodWorld,
  get: HTTPGetAction,
  call: HookCall & { timeoutMs: number },
): Promise<string | undefined> {
  if (world.network === undefined) return undefined;
  const request = httpRequest(get, { ...call, userAgent: 'kube-lifecycle' });
  const answer = await world.network.http(request);
  if (!('error' in answer)) return undefined;
  if (answer.speaksPlain !== true) return answer.error;
  // What is meant for TLS alone is not told to everybody on the way.
  const headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const plain = await world.network.http({ ...request, headers, scheme: 'HTTP' });
  if ('error' in plain) return answer.error;
  const host = hostPort(request.host, request.port);
  const message = `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`;
  world.events.pod(call.pod, 'Warning', { reason: 'LifecycleHTTPFallback', message });
  return undefined;
}
