import { useCallback, useEffect, useState } from 'react';
import { request } from '../api/request.ts';

/** A port of a pod that the dashboard's server has opened to this browser, on an origin of its own. */
export interface OpenPort {
  readonly id: string;
  readonly port: number;
  readonly url: string;
}

interface Listed extends OpenPort {
  readonly namespace: string;
  readonly pod: string;
}

/** The ports of one pod that are open, and how to open and to close one. */
export interface Forwards {
  readonly open: readonly OpenPort[];
  /** What the server said of the last try; undefined: it went well. */
  readonly error: string | undefined;
  readonly start: (port: number) => Promise<void>;
  readonly stop: (id: string) => Promise<void>;
}

const PATH = '/forwards';

/** Those of a pod; they live as long as the session, not as long as the page. */
export function useForwards(namespace: string, pod: string): Forwards {
  const [open, setOpen] = useState<readonly OpenPort[]>([]);
  const [error, setError] = useState<string>();
  const read = useCallback(async () => {
    const { value } = await request<{ readonly forwards: readonly Listed[] }>({ path: PATH });
    setOpen(value.forwards.filter((one) => one.namespace === namespace && one.pod === pod));
  }, [namespace, pod]);
  const afterwards = useCallback(
    async (work: () => Promise<unknown>) => {
      try {
        await work();
        await read();
        setError(undefined);
      } catch (reason) {
        setError(reason instanceof Error ? reason.message : String(reason));
      }
    },
    [read],
  );
  useEffect(() => {
    void afterwards(() => Promise.resolve());
  }, [afterwards]);
  return {
    open,
    error,
    start: (port) => afterwards(() => request({ method: 'POST', path: PATH, body: { namespace, pod, port } })),
    stop: (id) => afterwards(() => request({ method: 'DELETE', path: `${PATH}/${id}` })),
  };
}
