import { readFile } from 'node:fs/promises';
import type { JsonEndpoint } from '@binnacle/apiserver';
import { messageOf } from '@binnacle/base';
import { loadKubeconfig } from '@binnacle/client/node';
import { UsageError } from '../errors.ts';

/** Whom a kubeconfig names, as webhooks are told to be asked. Throws UsageError with the flag. */
export async function webhookEndpoint(flag: string, path: string): Promise<JsonEndpoint> {
  try {
    const { wire } = await loadKubeconfig(path);
    const { server, ca, cert, key, insecureSkipTlsVerify, tlsServerName, tokenFile } = wire;
    if (wire.proxyUrl !== undefined || wire.impersonate !== undefined) {
      throw new UsageError('proxy-url and as are not supported for webhooks');
    }
    const token = tokenFile === undefined ? wire.token : (await readFile(tokenFile, 'utf8')).trim();
    return {
      url: server,
      trust: {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { certificate: cert }),
        ...(key === undefined ? {} : { key }),
        ...(insecureSkipTlsVerify === true ? { insecure: true } : {}),
        ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
      },
      ...(token === undefined ? {} : { token }),
    };
  } catch (error) {
    throw new UsageError(`--${flag}: ${path}: ${messageOf(error)}`, error);
  }
}
