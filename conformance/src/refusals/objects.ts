/** What people write in files. */

export function podOf(name: string, container: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'registry.example/app:1', ...container }] },
  };
}

export function configMapOf(name: string, data: { readonly [key: string]: string } = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function deploymentOf(name: string, replicas: number): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] },
      },
    },
  };
}
