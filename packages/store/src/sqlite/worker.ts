import { Database } from './database.ts';
import { serveStore } from './serve.ts';

serveStore((start) => new Database(start));
