import { hostPort } from '@binnacle/base';
import { isConditionTrue } from '@binnacle/api';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { HttpTrust } from '@binnacle/base';
import type { RemoteGroupVersion } from '../documents/discovery/remote-group.ts';
import type { RemoteDocuments } from '../documents/openapi/openapi.ts';

/** How this server shows that it is the front proxy: PEM. */
export interface FrontProxy {
  readonly certificate: string;
  readonly key: string;
}

/** Where another API server is. */
export interface RemoteAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** What was last heard of another API server. */
export interface Heard {
  readonly resources: readonly object[];
  readonly freshness: RemoteGroupVersion['freshness'];
  readonly documents: Omit<RemoteDocuments, 'path'>;
}

const DEFAULT_PORT = 443;
const NOTHING_HEARD: Heard = { resources: [], freshness: 'Stale', documents: {} };

/** One group and version that another API server serves, by the APIService that says so. */
export class Remote {
  readonly service: APIService;
  readonly address: RemoteAddress;
  readonly trust: HttpTrust;
  /** As the APIService's status says, so that all servers of the cluster agree. */
  readonly available: boolean;
  readonly heard: Heard;

  constructor(service: APIService, frontProxy: FrontProxy | undefined, heard: Heard = NOTHING_HEARD) {
    const { caBundle = '', insecureSkipTLSVerify = false } = service.spec;
    const { name = '', namespace = '', port = DEFAULT_PORT } = service.spec.service ?? {};
    this.service = service;
    this.address = { name, namespace, port };
    this.trust = {
      serverName: `${name}.${namespace}.svc`,
      ...(insecureSkipTLSVerify ? { insecure: true } : {}),
      ...(caBundle === '' ? {} : { ca: atob(caBundle) }),
      ...(frontProxy === undefined ? {} : frontProxy),
    };
    this.available = isConditionTrue(service.status?.conditions, 'Available');
    this.heard = heard;
  }

  /** `https://10.0.0.1:443`, as messages name it: the endpoint that is asked. */
  static originOf({ host, port }: { readonly host: string; readonly port: number }): string {
    return `https://${hostPort(host, port)}`;
  }

  /** Every such server has to serve this path. */
  get path(): string {
    const { group = '', version = '' } = this.service.spec;
    return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  }

  asDiscovered(): RemoteGroupVersion {
    const { group = '', version = '', groupPriorityMinimum, versionPriority } = this.service.spec;
    const { resources, freshness } = this.heard;
    return { group, version, groupPriority: groupPriorityMinimum, versionPriority, resources, freshness };
  }

  asPublished(): RemoteDocuments {
    return { path: this.path, ...this.heard.documents };
  }
}
