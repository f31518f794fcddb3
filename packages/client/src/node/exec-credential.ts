import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { parsedJson } from '@binnacle/machinery';
import { TransportError } from '../errors.ts';

/** What a program is run with. */
export interface ProgramWorld {
  readonly env: { readonly [name: string]: string | undefined };
  /** Whether somebody is there to be asked. */
  readonly isTerminal: boolean;
  /** Descriptor of what it says to people, while it runs: where to log in, and why it fails. */
  readonly stderr: number;
}

/** `exec` of a user in a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly env?: unknown;
  readonly installHint?: unknown;
  readonly interactiveMode?: unknown;
  readonly provideClusterInfo?: unknown;
}

/** What a program gave: a token, a certificate with its key, or both. PEM. */
export interface Credential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Asked before every request. */
export interface CredentialSource {
  current(): Promise<Credential>;
  /** The server did not know who this is: the next request has a new one. */
  refused(credential: Credential): void;
}

/** How a program is run, and what it is told. */
export interface ExecOptions {
  readonly exec: ExecConfig;
  /** What `provideClusterInfo` shows it. */
  readonly cluster: object;
  /** The folder of the kubeconfig: a command with a slash is relative to it. */
  readonly base: string;
  readonly world: ProgramWorld;
  readonly clock: Clock;
}

const GROUP = 'client.authentication.k8s.io';
const OUTPUT_BYTES_MAX = 1 << 20;
/** Programs may open a browser and wait for somebody to log in. */
const PROGRAM_MS_MAX = 300_000;

interface Plan {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly isInteractive: boolean;
  readonly stderr: number;
  readonly hint: string;
}

/** Credentials from a program, run again when they are over; without a shell. Throws TransportError with fault `kubeconfig`. */
export function execCredentials(options: ExecOptions): CredentialSource {
  const plan = planOf(options);
  const { clock } = options;
  let known: { readonly credential: Credential; readonly untilMs: number } | undefined;
  let running: Promise<Credential> | undefined;
  const renew = async (): Promise<Credential> => {
    const { untilMs, credential } = readAnswer(plan, await run(plan, clock));
    known = { credential, untilMs };
    return credential;
  };
  return {
    current() {
      if (known !== undefined && clock.now() < known.untilMs) return Promise.resolve(known.credential);
      return (running ??= renew().finally(() => {
        running = undefined;
      }));
    },
    refused(credential) {
      if (known?.credential === credential) known = undefined;
    },
  };
}

function planOf({ exec, cluster, base, world }: ExecOptions): Plan {
  const { apiVersion, command, args, env, installHint, provideClusterInfo } = exec;
  if (apiVersion !== `${GROUP}/v1` && apiVersion !== `${GROUP}/v1beta1`) {
    throw wrong(`exec: apiVersion ${JSON.stringify(apiVersion)} is not supported: ${GROUP}/v1 or v1beta1`);
  }
  if (typeof command !== 'string' || command === '') throw wrong('exec: command is missing');
  if (command.includes('\0')) throw wrong('exec: command: no program is called so');
  if (!listOf(args).every((arg) => isText(arg) && !arg.includes('\0'))) {
    throw wrong('exec: args: expected a list of texts');
  }
  const isInteractive = isInteractiveOf(exec, world);
  const spec = { ...(provideClusterInfo === true ? { cluster } : {}), interactive: isInteractive };
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
  return {
    apiVersion,
    command: command.includes('/') ? resolve(base, command) : command,
    args: listOf(args) as readonly string[],
    env: { ...world.env, ...namedOf(env), KUBERNETES_EXEC_INFO: info },
    isInteractive,
    stderr: world.stderr,
    hint: typeof installHint === 'string' ? installHint : '',
  };
}

function isInteractiveOf({ apiVersion, interactiveMode }: ExecConfig, { isTerminal }: ProgramWorld): boolean {
  const mode = interactiveMode ?? (apiVersion === `${GROUP}/v1beta1` ? 'IfAvailable' : undefined);
  if (mode !== 'Never' && mode !== 'IfAvailable' && mode !== 'Always') {
    throw wrong('exec: interactiveMode: expected Never, IfAvailable or Always');
  }
  if (mode === 'Always' && !isTerminal) throw wrong('exec: the program asks for a terminal, and there is none');
  return mode !== 'Never' && isTerminal;
}

function namedOf(env: unknown): { [name: string]: string } {
  return Object.fromEntries(
    listOf(env).map((one) => {
      const { name, value } = (one ?? {}) as { readonly name?: unknown; readonly value?: unknown };
      if (!isText(name) || !isText(value) || `${name}${value}`.includes('\0'))
        throw wrong('exec: env: expected name and value');
      return [name, value];
    }),
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [undefined];
}

/** Begins it. Throws for what the system cannot even try: more arguments than it takes. */
function begun({ command, args, env, isInteractive, stderr }: Plan): ChildProcess {
  try {
    return spawn(command, [...args], {
      env: env as NodeJS.ProcessEnv,
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', stderr],
    });
  } catch (error) {
    throw wrong(`exec: executable ${command} cannot be run: ${messageOf(error)}`, error);
  }
}

/** What it printed. Bounded in size and time, whatever else it started that holds its output open. */
function run(plan: Plan, clock: Clock): Promise<string> {
  const { command, hint } = plan;
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  const child = begun(plan);
  // Its end alone does not close the pipe: what it started may go on writing, or keep it open in silence.
  const giveUp = (why: string): void => {
    deadline.cancel();
    child.kill('SIGKILL');
    child.stdout?.destroy();
    reject(wrong(`exec: executable ${command} ${why}`));
  };
  const deadline = clock.after(PROGRAM_MS_MAX, () => giveUp(`did not end within ${PROGRAM_MS_MAX / 1000} s`));
  const pieces: Uint8Array[] = [];
  let size = 0;
  child.stdout?.on('data', (piece: Uint8Array) => {
    size += piece.length;
    if (size <= OUTPUT_BYTES_MAX) pieces.push(piece);
    else giveUp(`says more than ${OUTPUT_BYTES_MAX} bytes`);
  });
  child.once('error', (error: NodeJS.ErrnoException) => {
    deadline.cancel();
    const why = error.code === 'ENOENT' ? 'not found' : error.message;
    reject(wrong(`exec: executable ${command} ${why}${hint === '' ? '' : `\n\n${hint}`}`, error));
  });
  child.once('close', (code, signal) => {
    deadline.cancel();
    if (code === 0) done(Buffer.concat(pieces).toString('utf8'));
    else {
      const how = code === null ? `ended by ${signal}` : `failed with exit code ${code}`;
      reject(wrong(`exec: executable ${command} ${how}`));
    }
  });
  return promise;
}

function readAnswer(
  { command, apiVersion }: Plan,
  text: string,
): { readonly credential: Credential; readonly untilMs: number } {
  const answer = (parsedJson(text) ?? {}) as { readonly [field: string]: unknown };
  if (answer['kind'] !== 'ExecCredential' || answer['apiVersion'] !== apiVersion) {
    throw wrong(`exec: executable ${command} answered with no ExecCredential of ${apiVersion}`);
  }
  const said = (answer['status'] ?? {}) as { readonly [field: string]: unknown };
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: expires } = said;
  const hasToken = isText(token) && token !== '';
  const hasCert = isText(cert) && cert !== '' && isText(key) && key !== '';
  if (!hasToken && !hasCert)
    throw wrong(`exec: executable ${command} gave neither a token nor a certificate with its key`);
  const untilMs = isText(expires) ? Date.parse(expires) : Infinity;
  if (Number.isNaN(untilMs)) throw wrong(`exec: executable ${command}: expirationTimestamp is no time`);
  return { credential: { ...(hasToken ? { token } : {}), ...(hasCert ? { cert, key } : {}) }, untilMs };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function wrong(what: string, cause?: unknown): TransportError {
  return new TransportError('kubeconfig', `kubeconfig: ${what}`, {
    cause: cause === undefined ? undefined : messageOf(cause),
  });
}
