/** Before any schema is made: zod would make code of it, which the page's policy forbids. */
import { config } from 'zod';

config({ jitless: true });
