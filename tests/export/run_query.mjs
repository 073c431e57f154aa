// run_query.mjs: answers the SQL on standard input with DuckDB, one JSON array of rows.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(process.env.HF_READERS + '/')('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const answer = await connection.runAndReadAll(readFileSync(0, 'utf8'));
console.log(JSON.stringify(answer.getRowObjectsJson()));
