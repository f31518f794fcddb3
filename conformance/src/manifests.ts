import type { ReplicationController } from '@binnacle/api/core/v1';
import type { Deployment } from '@binnacle/api/apps/v1';
import type { Draft } from '@binnacle/client';

/** The image of the example; simulated nodes have every image. */
export const IMAGE = 'binnacle.local/frontend:1.0';

const container = {
  name: 'web',
  image: IMAGE,
  ports: [{ containerPort: 80 }],
  readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
};
// As the first process of a container, busybox httpd does not hear SIGTERM.
const podSpec = { containers: [container], terminationGracePeriodSeconds: 1 };

/** A replication controller of `replicas` pods labelled `app=NAME`. */
export function replicationController(name: string, replicas: number): Draft<ReplicationController> {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas, selector: labels, template: { metadata: { labels }, spec: podSpec } },
  };
}

/** A deployment of `replicas` pods labelled `app=NAME`. */
export function deployment(name: string, replicas: number): Draft<Deployment> {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate' },
      template: { metadata: { labels }, spec: podSpec },
    },
  };
}
