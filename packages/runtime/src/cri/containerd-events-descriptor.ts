const SERVICES = {
  nested: {
    events: {
      nested: {
        v1: {
          nested: {
            Events: {
              methods: {
                Subscribe: {
                  requestType: 'containerd.events.SubscribeRequest',
                  responseType: 'containerd.events.Envelope',
                  responseStream: true,
                },
              },
            },
          },
        },
      },
    },
    tasks: {
      nested: {
        v1: {
          nested: {
            Tasks: {
              methods: {
                Kill: { requestType: 'containerd.events.KillRequest', responseType: 'containerd.events.Empty' },
                Wait: { requestType: 'containerd.events.TaskRequest', responseType: 'containerd.events.Empty' },
                Delete: { requestType: 'containerd.events.TaskRequest', responseType: 'containerd.events.Empty' },
                List: { requestType: 'containerd.events.Empty', responseType: 'containerd.events.TaskList' },
              },
            },
          },
        },
      },
    },
  },
};

/**
 * The few messages of containerd's own services (package containerd.services.events.v1): names and field numbers
 * as on the wire. It stands in for CRI's GetContainerEvents, which containerd 1.6 does not have.
 */
export const CONTAINERD_EVENTS_DESCRIPTOR = {
  nested: {
    containerd: {
      nested: {
        services: SERVICES,
        events: {
          nested: {
            Timestamp: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
            Any: { fields: { type_url: { type: 'string', id: 1 }, value: { type: 'bytes', id: 2 } } },
            SubscribeRequest: { fields: { filters: { rule: 'repeated', type: 'string', id: 1 } } },
            Envelope: {
              fields: {
                timestamp: { type: 'Timestamp', id: 1 },
                namespace: { type: 'string', id: 2 },
                topic: { type: 'string', id: 3 },
                event: { type: 'Any', id: 4 },
              },
            },
            TaskExit: {
              fields: {
                container_id: { type: 'string', id: 1 },
                id: { type: 'string', id: 2 },
                pid: { type: 'uint32', id: 3 },
                exit_status: { type: 'uint32', id: 4 },
                exited_at: { type: 'Timestamp', id: 5 },
              },
            },
            TaskStart: { fields: { container_id: { type: 'string', id: 1 }, pid: { type: 'uint32', id: 2 } } },
            TaskOOM: { fields: { container_id: { type: 'string', id: 1 } } },
            ContainerDelete: { fields: { id: { type: 'string', id: 1 } } },
            // Of the service of tasks: what CRI cannot be asked for, a signal of one's own, and the end of what it does
            // not count as running. Fields that nobody reads are left out.
            TaskRequest: { fields: { container_id: { type: 'string', id: 1 } } },
            TaskList: { fields: { tasks: { rule: 'repeated', type: 'Task', id: 1 } } },
            Task: { fields: { id: { type: 'string', id: 2 }, status: { type: 'uint32', id: 4 } } },
            KillRequest: {
              fields: {
                container_id: { type: 'string', id: 1 },
                exec_id: { type: 'string', id: 2 },
                signal: { type: 'uint32', id: 3 },
                all: { type: 'bool', id: 4 },
              },
            },
            Empty: { fields: {} },
          },
        },
      },
    },
  },
};
