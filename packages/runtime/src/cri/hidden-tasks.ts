import type { Logger } from '@binnacle/base';
import { type Channel, type Method, STATUS, failureOf } from '@binnacle/grpc';
import { RuntimeError } from '../errors.ts';
import type { Container } from '../ports.ts';

/** How long what was killed may take to be gone, and each call about it, milliseconds. */
const END_MS_MAX = 10_000;
const SIGKILL = 9;
/** Of containerd: made but not begun, running, paused, being paused. */
const LIVING: ReadonlySet<number> = new Set([1, 2, 4, 5]);

/** What tasks are ended by. */
export interface TaskParts {
  readonly channel: Channel;
  readonly log: Logger;
}

/**
 * Removes by `remove`; where containerd refuses because a task runs behind what CRI counts as ended (who asked for its
 * start was killed in its middle: seen with 1.6), the tasks of those `inTheWay` are ended first. StopContainer does nothing to those.
 * What is no containerd, or does not end them, has its refusal stand. Throws what `remove` throws.
 */
export async function removeWithTasks(
  parts: TaskParts,
  remove: () => Promise<unknown>,
  inTheWay: () => Promise<readonly { readonly id: string }[]>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const ended = await Promise.all((await inTheWay()).map(({ id }) => endTask(parts, id)));
    if (ended.includes(false)) throw error;
    await remove();
  }
}

/** Ends the tasks that run behind those of the containers that have ended by CRI. Does nothing where nobody tells of tasks. */
export async function endHiddenTasks(
  parts: TaskParts,
  containers: () => Promise<readonly Pick<Container, 'id' | 'state'>[]>,
): Promise<void> {
  const living = await listLiving(parts);
  if (living.length === 0) return;
  // Asked second: what is started meanwhile is in neither.
  const over = new Set((await containers()).filter(({ state }) => state === 'exited').map(({ id }) => id));
  await Promise.all(living.filter((id) => over.has(id)).map((id) => endTask(parts, id)));
}

/** Answers whether there is none any more. */
async function endTask({ channel, log }: TaskParts, id: string): Promise<boolean> {
  const about = { container_id: id };
  try {
    if (await isThere(channel.unary(tasks('Kill'), { ...about, signal: SIGKILL, all: true }, END_MS_MAX))) {
      log.warn('Ended what ran behind a container that counts as ended', { id });
      await isThere(channel.unary(tasks('Wait'), about, END_MS_MAX));
    }
    // containerd does so itself once it is told of the end: it is gone when one of both has answered.
    await isThere(channel.unary(tasks('Delete'), about, END_MS_MAX));
    return true;
  } catch (error) {
    log.warn('What runs behind a container that counts as ended goes on', { id, reason: failureOf(error).details });
    return false;
  }
}

async function listLiving({ channel, log }: TaskParts): Promise<readonly string[]> {
  try {
    const { tasks: all } = (await channel.unary(tasks('List'), {}, END_MS_MAX)) as {
      readonly tasks: readonly { readonly id: string; readonly status: number }[];
    };
    return all.filter(({ status }) => LIVING.has(status)).map(({ id }) => id);
  } catch (error) {
    log.info(2, 'The runtime does not tell of tasks', { reason: failureOf(error).details });
    return [];
  }
}

/** False: there is no such task, or it has ended. */
async function isThere(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (failureOf(error).status === STATUS.NOT_FOUND) return false;
    throw error;
  }
}

/** containerd's words for a container whose task is in the way. */
function isRefusal(error: unknown): boolean {
  return error instanceof RuntimeError && error.message.includes('cannot delete running task');
}

function tasks(method: string): Method {
  return { service: 'containerd.services.tasks.v1.Tasks', method, metadata: { 'containerd-namespace': 'k8s.io' } };
}
