import { readFile } from 'node:fs/promises';
import { readTlsChoice, TlsChoiceError } from '@binnacle/apiserver/node';
import type { KeyFile, TlsChoice } from '@binnacle/apiserver/node';
import type { AuthorityTexts } from '@binnacle/cluster/node/control-plane';
import { messageOf } from '@binnacle/base';
import type { KeyPair } from '@binnacle/certificates/node';
import { UsageError } from '../errors.ts';
import { readCertificates } from './kubelet-ca.ts';

/** The flags by which API servers share keys and authorities, by upstream's names. */
export interface AuthorityFlags {
  readonly serviceAccountKeyFile?: readonly string[];
  readonly serviceAccountSigningKeyFile?: string;
  readonly clientCaFile?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsMinVersion?: string;
  readonly tlsCipherSuites?: readonly string[];
}

/** What the flags name, read. Throws UsageError with the flag. */
export async function authorityChoice(flags: AuthorityFlags): Promise<{ readonly authority: AuthorityTexts }> {
  const {
    serviceAccountKeyFile = [],
    serviceAccountSigningKeyFile,
    clientCaFile,
    tlsCertFile,
    tlsPrivateKeyFile,
  } = flags;
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined)) {
    throw new UsageError('--tls-cert-file and --tls-private-key-file belong together');
  }
  const verifying = await Promise.all(serviceAccountKeyFile.map((path) => keyFile('--service-account-key-file', path)));
  return {
    authority: {
      tls: tlsChoice(flags),
      tokenKeys: {
        verifying,
        ...(serviceAccountSigningKeyFile === undefined
          ? {}
          : { signing: await keyFile('--service-account-signing-key-file', serviceAccountSigningKeyFile) }),
      },
      ...(clientCaFile === undefined ? {} : { clientCa: readCertificates('--client-ca-file', clientCaFile) }),
      ...(tlsCertFile === undefined || tlsPrivateKeyFile === undefined
        ? {}
        : {
            serving: await servingPair(tlsCertFile, tlsPrivateKeyFile),
            servingFiles: { certificate: tlsCertFile, key: tlsPrivateKeyFile },
          }),
    },
  };
}

async function servingPair(certificateFile: string, keyPath: string): Promise<KeyPair> {
  const certificate = readCertificates('--tls-cert-file', certificateFile);
  const pair = { certificate, key: await read('--tls-private-key-file', keyPath) };
  const { checkPair } = await import('@binnacle/certificates/node');
  try {
    checkPair(pair);
  } catch (error) {
    throw new UsageError(`--tls-cert-file and --tls-private-key-file: ${messageOf(error)}`, error);
  }
  return pair;
}

function tlsChoice({ tlsMinVersion, tlsCipherSuites }: AuthorityFlags): TlsChoice {
  try {
    return readTlsChoice(tlsMinVersion, tlsCipherSuites);
  } catch (error) {
    if (error instanceof TlsChoiceError) throw new UsageError(error.message, error);
    throw error;
  }
}

async function keyFile(flag: string, path: string): Promise<KeyFile> {
  return { name: `${flag}: ${path}`, text: await read(flag, path) };
}

async function read(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${path}`, error);
  }
}
