/**
 * Plugins make themselves known by a socket in `plugins_registry`: they are asked who they are, handed to who is in
 * charge of their kind, and told what came of it. The folder is the truth: whatever changes in it, all of it is looked at.
 */
import { type Clock, type Logger, type Scope, type Timer, messageOf } from '@binnacle/base';
import type { HostFiles } from '../ports.ts';
import { PluginRefusal } from './plugin-error.ts';
import type { PluginMethod, PluginWire } from '../ports.ts';

/** What a plugin says of itself. */
export interface PluginInfo {
  readonly name: string;
  /** The socket where it is spoken to. */
  readonly endpoint: string;
  readonly versions: readonly string[];
}

/** Who is in charge of one kind of plugins. */
export interface PluginHandler {
  /** Throws why it cannot be taken. */
  validate(plugin: PluginInfo): void;
  /** Throws why it could not be. */
  register(plugin: PluginInfo): Promise<void>;
  /** It is gone. */
  deregister(plugin: PluginInfo): Promise<void>;
}

export interface PluginRegistryOptions {
  /** `<kubelet>/plugins_registry`. */
  readonly directory: string;
  readonly files: HostFiles;
  readonly wire: PluginWire;
  /** By the type that a plugin names: `CSIPlugin`. */
  readonly handlers: ReadonlyMap<string, PluginHandler>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scope: Scope;
}

interface Known {
  /** Another one: another plugin took its place. */
  readonly identity: string;
  readonly registered?: { readonly plugin: PluginInfo; readonly handler: PluginHandler };
  readonly tries: number;
  /** Monotonic; not before. */
  readonly tryAt: number;
}

interface InfoMessage {
  readonly type: string;
  readonly name: string;
  readonly endpoint: string;
  readonly supported_versions: readonly string[];
}

const SOCKETS_MAX = 256;
const INFO_TIMEOUT_MS = 10_000;
const NOTIFY_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 122_000;

export class PluginRegistry {
  readonly #of: PluginRegistryOptions;
  readonly #known = new Map<string, Known>();
  #looking = false;
  #again = false;
  #timer: Timer | undefined;

  constructor(options: PluginRegistryOptions) {
    this.#of = options;
  }

  /** Follows the folder until the scope closes. */
  async start(): Promise<void> {
    const { files, directory, scope } = this.#of;
    await files.makeDirectory(directory, 0o750);
    const stop = files.watch(directory, () => this.#look());
    scope.defer(() => {
      stop();
      this.#timer?.cancel();
    });
    this.#look();
  }

  #look(): void {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    this.#of.scope.run('plugins', async () => {
      try {
        while (this.#again && !this.#of.scope.closing) {
          this.#again = false;
          await this.#pass();
        }
      } finally {
        this.#looking = false;
      }
    });
  }

  async #pass(): Promise<void> {
    const found = await this.#sockets();
    for (const [path, known] of this.#known) {
      if (found.get(path) === known.identity) continue;
      this.#known.delete(path);
      this.#of.wire.forget(path);
      if (known.registered !== undefined) await this.#deregister(known.registered);
    }
    for (const [path, identity] of found) await this.#try(path, identity);
    this.#wakeAtNextTry();
  }

  async #sockets(): Promise<Map<string, string>> {
    const { files, directory, log } = this.#of;
    const names = (await files.list(directory)).filter((name) => !name.startsWith('.')).toSorted();
    if (names.length > SOCKETS_MAX) log.warn('Too many plugins: some are not looked at', { directory });
    const found = new Map<string, string>();
    for (const name of names.slice(0, SOCKETS_MAX)) {
      const path = `${directory}/${name}`;
      if ((await files.kind(path)) !== 'socket') continue;
      const identity = await files.identity(path);
      if (identity !== undefined) found.set(path, identity);
    }
    return found;
  }

  async #try(path: string, identity: string): Promise<void> {
    const { clock, log } = this.#of;
    const before = this.#known.get(path) ?? { identity, tries: 0, tryAt: 0 };
    if (before.registered !== undefined || before.tryAt > clock.monotonic()) return;
    try {
      const registered = await this.#register(path);
      this.#known.set(path, { ...before, registered });
      log.info(2, 'Plugin registered', { name: registered.plugin.name, endpoint: registered.plugin.endpoint });
    } catch (error) {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(before.tries, 10), LAST_PAUSE_MS);
      this.#known.set(path, { ...before, tries: before.tries + 1, tryAt: clock.monotonic() + pause });
      log.warn('Plugin could not be registered', { path, reason: messageOf(error) });
    }
  }

  async #register(path: string): Promise<NonNullable<Known['registered']>> {
    const { type, name, endpoint, supported_versions: versions } = await this.#info(path);
    const handler = this.#of.handlers.get(type);
    const plugin = { name, endpoint: socketPath(endpoint === '' ? path : endpoint), versions };
    try {
      if (handler === undefined)
        throw new PluginRefusal(`no handler registered for plugin type: ${type} at socket ${path}`);
      handler.validate(plugin);
      await handler.register(plugin);
    } catch (error) {
      await this.#notify(path, `RegisterPlugin error -- plugin registration failed with err: ${messageOf(error)}`);
      throw error;
    }
    try {
      await this.#notify(path, '');
    } catch (error) {
      await this.#deregister({ plugin, handler });
      throw error;
    }
    return { plugin, handler };
  }

  async #info(path: string): Promise<InfoMessage> {
    return (await this.#of.wire.call(path, registration('GetInfo', INFO_TIMEOUT_MS), {})) as InfoMessage;
  }

  async #notify(path: string, error: string): Promise<void> {
    const status = { plugin_registered: error === '', error };
    await this.#of.wire.call(path, registration('NotifyRegistrationStatus', NOTIFY_TIMEOUT_MS), status);
  }

  async #deregister({ plugin, handler }: NonNullable<Known['registered']>): Promise<void> {
    try {
      await handler.deregister(plugin);
    } catch (error) {
      // It is gone whether that could be told or not; the next one of that name tells anew.
      this.#of.log.error(error, 'Plugin could not be taken back', { name: plugin.name });
    }
  }

  #wakeAtNextTry(): void {
    const { clock } = this.#of;
    const waiting = [...this.#known.values()].filter((known) => known.registered === undefined);
    this.#timer?.cancel();
    if (waiting.length === 0) return;
    const at = Math.min(...waiting.map((known) => known.tryAt));
    this.#timer = clock.after(Math.max(1, at - clock.monotonic()), () => this.#look(), { background: true });
  }
}

function registration(method: string, timeoutMs: number): PluginMethod {
  return { protocol: 'registration', service: 'pluginregistration.Registration', method, timeoutMs };
}

/** `unix:///a` and `/a` are the same. */
function socketPath(endpoint: string): string {
  return endpoint.replace(/^unix:(?:\/\/)?/, '');
}
