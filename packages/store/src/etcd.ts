export { connectEtcdStore } from './etcd/connect.ts';
export type { EtcdStoreOptions } from './etcd/connect.ts';
export type { EtcdTls } from './etcd/connection.ts';
