import { assert } from '@binnacle/base';
import type { Runtime } from '../ports.ts';
import { type Behaviour, EventLog, type RuntimeHarness, plainContainer, plainSandbox } from './harness.ts';

/** What the tests of the suite share: one connection, and pods that are removed after each test. */
export class Bench {
  readonly events = new EventLog();
  #harness: RuntimeHarness | undefined;
  #runtime: Runtime | undefined;
  #count = 0;
  #sandboxes: string[] = [];

  get harness(): RuntimeHarness {
    assert(this.#harness !== undefined, 'the suite has begun');
    return this.#harness;
  }

  get runtime(): Runtime {
    assert(this.#runtime !== undefined, 'the suite has begun');
    return this.#runtime;
  }

  begin(harness: RuntimeHarness, runtime: Runtime): void {
    this.#harness = harness;
    this.#runtime = runtime;
  }

  newUid(): string {
    return `c0ffee00-0000-4000-8000-${String(++this.#count).padStart(12, '0')}`;
  }

  /** Remembers a sandbox for the clean-up. */
  owns(sandboxId: string): string {
    this.#sandboxes.push(sandboxId);
    return sandboxId;
  }

  async sandbox(uid = this.newUid(), behaviour?: Behaviour): Promise<{ uid: string; id: string }> {
    const annotations = behaviour?.podAnnotations ?? {};
    const id = await this.runtime.runSandbox(plainSandbox(this.harness, uid, { annotations }));
    return { uid, id: this.owns(id) };
  }

  /** A pod of one container, created and, unless told otherwise, started. */
  async pod(behaviour: Behaviour, options: { readonly start?: boolean } = {}): Promise<TestPod> {
    const { uid, id } = await this.sandbox(this.newUid(), behaviour);
    const sandbox = plainSandbox(this.harness, uid, { annotations: behaviour.podAnnotations ?? {} });
    const config = plainContainer(this.harness.image, behaviour.command);
    const containerId = await this.runtime.createContainer(id, config, sandbox);
    if (options.start !== false) await this.runtime.startContainer(containerId);
    return { uid, sandboxId: id, containerId };
  }

  async clear(): Promise<void> {
    for (const id of this.#sandboxes.splice(0)) {
      await this.runtime.stopSandbox(id);
      await this.runtime.removeSandbox(id);
    }
  }
}

export interface TestPod {
  readonly uid: string;
  readonly sandboxId: string;
  readonly containerId: string;
}
