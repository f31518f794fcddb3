export type { Login, OpenWire } from '../sessions.ts';
export { serveDashboard } from './server.ts';
export type { DashboardOptions, ServedDashboard } from './server.ts';
