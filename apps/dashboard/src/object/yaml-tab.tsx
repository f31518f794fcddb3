import { Alert, Button, Checkbox, Code, CopyButton, Group, Stack } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import { request } from '../api/request.ts';
import { DRAFT } from '../editor/draft.ts';
import { useSchema } from '../editor/use-schemas.ts';
import { DiffView } from '../history/diff-view.tsx';
import { useRights } from '../rights/use-rights.ts';
import { useMoment } from '../route/use-route.ts';
import { Loading } from '../shell/loading.tsx';
import { part } from '../shell/part.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { changedPart, diffLines } from './line-diff.ts';
import type { DiffLine } from './line-diff.ts';
import type { TabProps } from './tab-props.ts';
import { readYaml, yamlOf } from './yaml-text.ts';

// Loaded when somebody edits.
const YamlEditor = part(async () => (await import('../editor/yaml-editor.tsx')).YamlEditor);

interface Tried {
  /** What was tried: nothing else is applied by it. */
  readonly draft: string;
  readonly diff: readonly DiffLine[];
  readonly warnings: readonly string[];
}

/** An object as YAML; changes are tried on the server first, and shown as what would differ. */
export function YamlTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const [isEdited, setEdited] = useState(false);
  const [managedFields, setManagedFields] = useState(false);
  const isPast = useMoment() !== undefined;
  const { group, resource, verbs } = kind;
  const rights = useRights(object.metadata.namespace ?? '');
  const mayEdit = verbs.includes('update') && rights({ verb: 'update', group, resource, name: object.metadata.name });
  if (isEdited) return <Editor kind={kind} object={object} onClose={() => setEdited(false)} />;
  const current = yamlOf(object, { managedFields });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button size="xs" onClick={() => setEdited(true)} disabled={!mayEdit || isPast}>
          {text.edit}
        </Button>
        <CopyButton value={current}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? text.copied : text.copy}
            </Button>
          )}
        </CopyButton>
        <Checkbox
          size="xs"
          label={text.managedFields}
          checked={managedFields}
          onChange={(event) => setManagedFields(event.currentTarget.checked)}
        />
      </Group>
      <Code block tabIndex={0}>
        {visible(current)}
      </Code>
    </Stack>
  );
}

function Editor({ kind, object, onClose }: TabProps & { readonly onClose: () => void }): ReactNode {
  const text = useText();
  // What was there when the editing began: whoever was faster is not overwritten.
  const [before] = useState(object);
  const schema = useSchema(kind);
  const [draft, setDraft] = useState(() => yamlOf(before));
  const [last, setLast] = useState<Tried>();
  const tried = last?.draft === draft ? last : undefined;
  const [error, setError] = useState<string>();
  const put = async (isTrial: boolean): Promise<void> => {
    setError(undefined);
    try {
      const { namespace, name } = before.metadata;
      const path = pathOf(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
      const query = `fieldValidation=Warn&fieldManager=binnacle-dashboard${isTrial ? '&dryRun=All' : ''}`;
      const { value, warnings } = await request({ method: 'PUT', path: `${path}?${query}`, body: readYaml(draft) });
      if (isTrial) setLast({ draft, diff: changedPart(diffLines(yamlOf(before), yamlOf(value))), warnings });
      else onClose();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <Stack gap="sm" {...{ [DRAFT]: true }}>
      <Group gap="sm">
        <Button size="xs" variant="default" onClick={() => void put(true)}>
          {text.tryIt}
        </Button>
        <Button size="xs" onClick={() => void put(false)} disabled={tried === undefined}>
          {text.apply}
        </Button>
        <Button size="xs" variant="subtle" onClick={onClose}>
          {text.cancel}
        </Button>
      </Group>
      {error === undefined ? null : (
        <Alert color="red" role="alert" style={{ whiteSpace: 'pre-wrap' }}>
          {error}
        </Alert>
      )}
      {tried === undefined ? null : <Trial tried={tried} />}
      <Suspense fallback={<Loading />}>
        <YamlEditor label={text.yaml} value={draft} schema={schema} onChange={setDraft} />
      </Suspense>
    </Stack>
  );
}

function Trial({ tried: { diff, warnings } }: { readonly tried: Tried }): ReactNode {
  return (
    <Stack gap="xs">
      {warnings.map((warning) => (
        <Alert key={warning} color="orange">
          {warning}
        </Alert>
      ))}
      <DiffView lines={diff} />
    </Stack>
  );
}
