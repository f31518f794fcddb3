import { useEffect, useState } from 'react';
import { parseLesson } from './parse-lesson.ts';
import type { Lesson } from './parse-lesson.ts';

/** Lessons by their names in an address, in their order. */
export type Lessons = ReadonlyMap<string, Lesson>;

/** The lessons in a language, which come with the page; undefined: not read yet. None where they are missing. */
export function useLessons(language: string): Lessons | undefined {
  const [found, setFound] = useState<{ readonly language: string; readonly lessons: Lessons }>();
  useEffect(() => {
    let isCurrent = true;
    readLessons(language).then(
      (lessons) => {
        if (isCurrent) setFound({ language, lessons });
      },
      () => {
        if (isCurrent) setFound({ language, lessons: new Map() });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [language]);
  return found?.language === language ? found.lessons : undefined;
}

async function readLessons(language: string): Promise<Lessons> {
  const reply = await fetch(`/assets/lessons-${language}.json`);
  const texts = (await reply.json()) as readonly (readonly [name: string, markdown: string])[];
  return new Map(texts.map(([name, markdown]) => [name, parseLesson(markdown)]));
}
