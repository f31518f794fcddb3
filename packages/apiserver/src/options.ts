import type { Features, ResourceInfo } from '@binnacle/api';
import type { Clock, HttpCaller, Logger, Random } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { AuditOptions } from './audit/auditor.ts';
import type { Figures } from './observe/series.ts';
import type { Policy, PolicyWorld } from './policy.ts';
import type { HealthCheck } from './ports/health.ts';
import type { NodeConnector } from './ports/nodes.ts';
import type { WebSocketDesk } from './ports/web-sockets.ts';
import type { Transformer } from './ports/transformer.ts';

/** What an API server is made of. Time and chance are guests (law 3). */
export interface ApiServerOptions {
  /** Stays the caller's: `close` of the server does not close it. */
  readonly store: Store;
  /** How values rest in it. Absent: as they are. */
  readonly transformer?: Transformer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Who may do what (createPolicy). Absent: everybody is the administrator. */
  readonly policy?: (world: PolicyWorld) => Policy;
  /** How kubelets are asked, for pods' logs. Absent: they cannot be. */
  readonly nodes?: NodeConnector;
  /** Speaks WebSocket for kubelets that know SPDY alone. Absent: they are asked in whatever the client speaks. */
  readonly webSockets?: WebSocketDesk;
  /** How this server asks others of its own accord: conversion webhooks. Absent: they cannot be asked. */
  readonly http?: HttpCaller;
  /** How clients' requests are passed on, to pods and nodes; they hold their connections as they like. Absent: they are not. */
  readonly passing?: HttpCaller;
  /** PEM of the client certificate that other API servers know this one by, when it passes requests on. Absent: none. */
  readonly frontProxy?: { readonly certificate: string; readonly key: string };
  /** What else `/livez` and `/healthz` look at: components of the same process. Asked for at every look. */
  readonly healthChecks?: () => readonly HealthCheck[];
  /** How the controllers (`controller-manager`) and the `scheduler` of this process are. Absent: asked at upstream's ports. */
  readonly components?: () => readonly HealthCheck[];
  /** How long Events live: upstream's `--event-ttl`. Absent: an hour. */
  readonly eventTtlSeconds?: number;
  /** Resources of RESOURCES_ON_REQUEST that are served: upstream's `--runtime-config`. Absent: none. */
  readonly onRequest?: readonly ResourceInfo[];
  /** Feature gates that people switch: which fields and values kinds have, and what `/metrics` tells. Absent: as upstream has them by default. */
  readonly features?: Features;
  /** Whether the server remembers who did what and why (`trace.binnacle.dev`). Absent: it does. */
  readonly trace?: boolean;
  /** What is recorded of requests, and where. Absent: nothing. */
  readonly audit?: AuditOptions;
  /** Requests served at once: upstream's `--max-requests-inflight` and `--max-mutating-requests-inflight` together. Absent: 600. */
  readonly seats?: number;
  /** Whether people with the right may hold components of this process (`pauses.trace.binnacle.dev`). Absent: nobody may. */
  readonly pauses?: boolean;
  /** Whether who has the right may change the log's level (`PUT /debug/flags/v`): upstream's `--profiling`. Absent: he may. */
  readonly profiling?: boolean;
  /** What the process was started with, for `/flagz`, by the flags' names. */
  readonly flags?: ReadonlyMap<string, string>;
  /** What `/version` says as gitVersion. */
  readonly servedVersion?: string;
  /** What `/version` says as gitCommit: of which source the program is. Absent: not known. */
  readonly commit?: string;
  /** Freezes cached objects, so that a write into one fails loudly. On in tests, off in production. */
  readonly assertions?: boolean;
  /** What others know that `/metrics` shows: how values rest sealed, how configurations were read anew. */
  readonly figures?: readonly Figures[];
  /** More lines of `/metrics` in Prometheus' text form: the process's own figures. */
  readonly processMetrics?: () => readonly (readonly [name: string, type: string, value: number])[];
}
