import { spawn } from 'node:child_process';
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
const COMPLAINT_MAX = 2_000;
/** Programs may open a browser and wait for somebody to log in. */
const PROGRAM_MS_MAX = 300_000;

interface Plan {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly isInteractive: boolean;
  readonly hint: string;
}

/** Credentials from a program, run again when they are over; without a shell. Throws TransportError with fault `kubeconfig`. */
export function execCredentials(options: ExecOptions): CredentialSource {
  const plan = planOf(options);
  const { clock } = options;
  let known: { readonly credential: Credential; readonly untilMs: number } | undefined;
  let running: Promise<Credential> | undefined;
  const renew = async (): Promise<Credential> => {
    const { untilMs, credential } = readAnswer(plan, await run(plan));
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
  if (!listOf(args).every(isText)) {
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
      if (!isText(name) || !isText(value)) throw wrong('exec: env: expected name and value');
      return [name, value];
    }),
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [undefined];
}

/** What it printed. Bounded in size and time. */
function run({ command, args, env, isInteractive, hint }: Plan): Promise<string> {
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  const child = spawn(command, [...args], {
    env: env as NodeJS.ProcessEnv,
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', isInteractive ? 'inherit' : 'pipe'],
  });
  // Node's own deadline outlives a program that never began.
  const deadline = setTimeout(() => child.kill('SIGKILL'), PROGRAM_MS_MAX);
  const pieces: Uint8Array[] = [];
  let size = 0;
  let complaint = '';
  child.stdout?.on('data', (piece: Uint8Array) => {
    size += piece.length;
    if (size <= OUTPUT_BYTES_MAX) pieces.push(piece);
    else child.kill('SIGKILL');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < COMPLAINT_MAX) complaint += text.slice(0, COMPLAINT_MAX);
  });
  child.once('error', (error: NodeJS.ErrnoException) => {
    clearTimeout(deadline);
    const why = error.code === 'ENOENT' ? 'not found' : error.message;
    reject(wrong(`exec: executable ${command} ${why}${hint === '' ? '' : `\n\n${hint}`}`, error));
  });
  child.once('close', (code, signal) => {
    clearTimeout(deadline);
    if (size > OUTPUT_BYTES_MAX) reject(wrong(`exec: executable ${command} says more than ${OUTPUT_BYTES_MAX} bytes`));
    else if (code === 0) done(Buffer.concat(pieces).toString('utf8'));
    else {
      const how = code === null ? `ended by ${signal}` : `failed with exit code ${code}`;
      reject(wrong(`exec: executable ${command} ${how} ${complaint}`.trim()));
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
