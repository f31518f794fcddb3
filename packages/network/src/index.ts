/** The door of network: the rules of Services as plain data, and the port of what makes them real. */
export { NetworkError } from './errors.ts';
export type {
  Backend,
  ExternalRules,
  Family,
  Fate,
  Firewall,
  NodeRules,
  Protocol,
  ServiceNetwork,
  ServiceRules,
} from './rules.ts';
/** Who may talk with the pods of a node, and the port of what holds others back. */
export type {
  AddressBlock,
  Allowance,
  Direction,
  PolicedPod,
  PolicyChanges,
  PolicyNetwork,
  PolicyRules,
  PolicyState,
  PortRange,
} from './policy-rules.ts';
/** The ways from a node to the pods of others. */
export { decidePodRoutes, wrappingFor } from './pod-routes.ts';
export type { NodePlace, PodNetwork, PodNetworkMode, PodRoute, RefusedRange } from './pod-routes.ts';
