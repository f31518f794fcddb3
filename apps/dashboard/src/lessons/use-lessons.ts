import { messageOf } from '@binnacle/base';
import { parsedJson } from '@binnacle/machinery';
import { useEffect, useState } from 'react';
import { again } from '../api/again.ts';
import { ApiError } from '../api/request.ts';
import { PartError } from '../shell/part.tsx';
import { parseLesson } from './parse-lesson.ts';
import type { Lesson } from './parse-lesson.ts';

/** Lessons by their names in an address, in their order. */
export type Lessons = ReadonlyMap<string, Lesson>;

/** What reading them came to. */
type Found = { readonly language: string } & ({ readonly lessons: Lessons } | { readonly error: PartError });

/** The lessons in a language, which come with the page; undefined: not read yet. Throws PartError where they do not come. */
export function useLessons(language: string): Lessons | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    let isCurrent = true;
    readLessons(language).then(
      (lessons) => {
        if (isCurrent) setFound({ language, lessons });
      },
      (reason: unknown) => {
        // Nothing is kept of what did not come: who draws it again reads again.
        const error = new PartError(messageOf(reason), () => undefined);
        if (isCurrent) setFound({ language, error });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [language]);
  if (found?.language !== language) return undefined;
  if ('error' in found) throw found.error;
  return found.lessons;
}

async function readLessons(language: string): Promise<Lessons> {
  const path = `/assets/lessons-${language}.json`;
  const [reply, read] = await again(async () => {
    const told = await fetch(path);
    return [told, await told.text()];
  });
  const texts = (reply.ok ? parsedJson(read) : undefined) as readonly (readonly [string, string])[] | undefined;
  if (texts === undefined) throw new ApiError(reply.status, `${path}: HTTP ${reply.status}`, '');
  return new Map(texts.map(([name, markdown]) => [name, parseLesson(markdown)]));
}
