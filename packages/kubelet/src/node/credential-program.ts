import { execFile } from 'node:child_process';
import { messageOf } from '@binnacle/base';
import { ProviderAnswerError } from '../errors.ts';
import type { CredentialProvider } from '../image/credential-providers.ts';

const OUTPUT_BYTES_MAX = 1 << 20;
const TIMEOUT_MS = 60_000;

/** Runs a credential provider with its request as input; answers with its output. Throws ProviderAnswerError. */
export function runCredentialProvider(of: {
  readonly path: string;
  readonly provider: CredentialProvider;
  readonly input: string;
  /** What programs of the node are started with; the provider's own goes before it. */
  readonly environment: { readonly [name: string]: string };
}): Promise<string> {
  const { path, provider, input } = of;
  const env = { ...of.environment, ...provider.env };
  return new Promise((resolve, reject) => {
    const options = { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES_MAX } as const;
    const child = execFile(path, [...provider.args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new ProviderAnswerError(provider.name, `${messageOf(error)} ${stderr.slice(0, 1_000)}`.trim()));
    });
    // A program that does not read its input may still answer; what it says counts.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
