import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { HostFiles, PluginWire } from '../ports.ts';
import type { NodeDevices } from './node-devices.ts';

interface RegisterMessage {
  readonly version: string;
  /** The name of its socket in the folder. */
  readonly endpoint: string;
  readonly resource_name: string;
  readonly options: {
    readonly pre_start_required: boolean;
    readonly get_preferred_allocation_available: boolean;
  } | null;
}

/** Opens the kubelet's own socket, where device plugins say that they are there. Answers with how to close it. */
export async function serveDeviceRegistration(of: {
  /** `<kubelet>/device-plugins`. */
  readonly directory: string;
  readonly files: HostFiles;
  readonly wire: PluginWire;
  readonly devices: NodeDevices;
}): Promise<() => Promise<void>> {
  const { directory, files, wire, devices } = of;
  const path = `${directory}/kubelet.sock`;
  await files.remove(path);
  return wire.serve(path, 'devices', {
    'v1beta1.Registration': {
      Register: async (request) => {
        const { version, endpoint, resource_name: name, options } = request as RegisterMessage;
        if (endpoint === '' || endpoint.includes('/'))
          throw new PluginRefusal(`bad endpoint ${JSON.stringify(endpoint)}`);
        const socket = `${directory}/${endpoint}`;
        devices.validate({ name, endpoint: socket, versions: [version] });
        devices.add(name, socket, {
          preStart: options?.pre_start_required === true,
          prefers: options?.get_preferred_allocation_available === true,
        });
        return {};
      },
    },
  });
}
