export { CONTROLLER } from './class-table.ts';
export type {
  BackendProtocol,
  CertificatePair,
  ConnectPlace,
  DoorAnswer,
  DoorKind,
  Doors,
  Place,
  RouteAnswer,
  Traffic,
} from './ports.ts';
export { runIngress } from './run-ingress.ts';
export type { IngressOptions, RunningIngress } from './run-ingress.ts';
