import { UsageError } from '../errors.ts';

/** Flags as the parser names them; those not given are absent, or undefined. */
type Flags = { readonly [name: string]: unknown };

/** Families of flags that only say more of what one of them asks for. */
const FAMILIES = [
  { prefix: 'auditLog', head: 'auditLogPath' },
  { prefix: 'auditWebhook', head: 'auditWebhookConfigFile' },
  { prefix: 'authenticationTokenWebhook', head: 'authenticationTokenWebhookConfigFile' },
  { prefix: 'authorizationWebhook', head: 'authorizationWebhookConfigFile' },
  { prefix: 'encryptionProviderConfig', head: 'encryptionProviderConfig' },
  { prefix: 'oidc', head: 'oidcIssuerUrl' },
  { prefix: 'requestheader', head: 'requestheaderClientCaFile' },
] as const;

/** Flags that are about one choice of another. */
const OF_CHOICES = [
  { flag: 'etcdServers', of: 'store', is: 'etcd' },
  { flag: 'etcdCafile', of: 'store', is: 'etcd' },
  { flag: 'etcdCertfile', of: 'store', is: 'etcd' },
  { flag: 'etcdKeyfile', of: 'store', is: 'etcd' },
  { flag: 'acceptDataLoss', of: 'store', is: 'sqlite' },
  { flag: 'loadBalancerPool', of: 'loadBalancer', is: 'on' },
] as const;

/** Throws UsageError for a flag that does nothing without another one, as who gives it believes that it does, and for the reverse. */
export function refuseLonelyFlags(flags: object): void {
  const given = flags as Flags;
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  for (const { prefix, head } of FAMILIES) {
    const lonely = names.find((name) => name.startsWith(prefix) && name !== head);
    if (lonely !== undefined && given[head] === undefined) {
      throw new UsageError(`${spell(lonely)} does nothing without ${spell(head)}`);
    }
  }
  for (const { flag, of, is } of OF_CHOICES) {
    if (given[flag] !== undefined && given[of] !== undefined && given[of] !== is) {
      throw new UsageError(`${spell(flag)} does nothing without ${spell(of)}=${is}`);
    }
  }
  const { store, etcdServers } = given;
  if (store === 'etcd' && (!Array.isArray(etcdServers) || etcdServers.length === 0))
    throw new UsageError('--store=etcd needs --etcd-servers');
}

function spell(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
