// A store for LangGraph, kept by Lacuna: sealed, searchable, and forgotten with a receipt.
//
//   import { BaseStore } from "@langchain/langgraph-checkpoint";
//   const store = new (lacunaStoreOn(BaseStore))(memory);

import type { Lacuna } from "../client.js";
import { NotFound } from "../errors.js";

interface GetOperation {
  namespace: string[];
  key: string;
}
interface PutOperation extends GetOperation {
  value: Record<string, unknown> | null;
  index?: false | string[];
}
interface SearchOperation {
  namespacePrefix: string[];
  filter?: Record<string, unknown>;
  limit?: number;
  offset?: number;
  query?: string;
}
interface ListNamespacesOperation {
  matchConditions?: Array<{ matchType: "prefix" | "suffix"; path: string[] }>;
  maxDepth?: number;
  limit: number;
  offset: number;
}
type Operation = GetOperation | PutOperation | SearchOperation | ListNamespacesOperation;

interface StoredItem {
  value: Record<string, unknown>;
  key: string;
  namespace: string[];
  createdAt: Date;
  updatedAt: Date;
  score?: number;
}

interface StoredRecord {
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  score?: number;
}

export interface LacunaStoreOptions {
  /** Labels before every namespace, so that several stores share a vault. */
  prefix?: string[];
  /** The vault; the caller's own when absent. */
  scope?: string;
  /** Sent with every record, such as `consent_basis` or `keep_possible_secrets`. */
  options?: Record<string, unknown>;
}

/** The class of LangGraph's store. It is passed in, so that this package needs none of LangGraph's. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type StoreBase = abstract new (...args: any[]) => object;

/** Returns the class of a store that keeps its items as records of one person. */
export function lacunaStoreOn<Base extends StoreBase>(base: Base) {
  abstract class LacunaStore extends base {
    #memory: Lacuna;
    #prefix: string[];
    #scope: string | undefined;
    #options: Record<string, unknown>;

    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    constructor(...args: any[]) {
      super();
      const [memory, options = {}] = args as [Lacuna, LacunaStoreOptions?];
      this.#memory = memory;
      this.#prefix = options.prefix ?? ["langgraph-store"];
      this.#scope = options.scope;
      this.#options = options.options ?? {};
    }

    /** Reads see what was there before the writes of the same call; of several writes to a place the last counts. */
    async batch(operations: readonly Operation[]): Promise<unknown[]> {
      const results: unknown[] = [];
      const puts = new Map<string, PutOperation>();
      for (const operation of operations) {
        if ("namespacePrefix" in operation) results.push(await this.#search(operation));
        else if ("value" in operation) {
          puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
          results.push(null);
        } else if ("key" in operation) results.push(await this.#get(operation));
        else results.push(await this.#namespaces(operation));
      }
      await this.#write([...puts.values()]);
      return results;
    }

    async #write(puts: PutOperation[]): Promise<void> {
      const kept = puts.filter((put) => put.value !== null).map((put) => this.#record(put));
      if (kept.length > 0) await this.#memory.putRecords(kept, { scope: this.#scope });
      for (const put of puts.filter((each) => each.value === null)) {
        try {
          await this.#memory.eraseRecord(this.#place(put.namespace), put.key, { scope: this.#scope });
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
        }
      }
    }

    #record(put: PutOperation): Record<string, unknown> {
      const index = put.index === false ? { index: [] } : put.index === undefined ? {} : { index: put.index };
      return { ...this.#options, namespace: this.#place(put.namespace), key: put.key, value: put.value, ...index };
    }

    #place(namespace: string[]): string[] {
      return [...this.#prefix, ...namespace];
    }

    #item(record: StoredRecord): StoredItem {
      return {
        value: record.value,
        key: record.key,
        namespace: record.namespace.slice(this.#prefix.length),
        createdAt: new Date(record.created_at),
        updatedAt: new Date(record.updated_at),
        ...(record.score === undefined ? {} : { score: record.score }),
      };
    }

    async #get(operation: GetOperation): Promise<StoredItem | null> {
      try {
        const place = this.#place(operation.namespace);
        return this.#item((await this.#memory.getRecord(place, operation.key, { scope: this.#scope })) as StoredRecord);
      } catch (error) {
        if (error instanceof NotFound) return null;
        throw error;
      }
    }

    async #search(operation: SearchOperation): Promise<StoredItem[]> {
      const page = (await this.#memory.searchRecords({
        namespace_prefix: this.#place(operation.namespacePrefix),
        value_filter: operation.filter,
        query: operation.query === "" ? undefined : operation.query,
        limit: operation.limit ?? 10,
        offset: operation.offset ?? 0,
        scope: this.#scope,
      })) as { records: StoredRecord[] };
      return page.records.map((record) => this.#item(record));
    }

    async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
      const path = (kind: string) => operation.matchConditions?.find((each) => each.matchType === kind)?.path ?? [];
      const answer = (await this.#memory.listNamespaces({
        prefix: this.#place(path("prefix")),
        suffix: path("suffix"),
        max_depth: operation.maxDepth === undefined ? undefined : operation.maxDepth + this.#prefix.length,
        limit: operation.limit,
        offset: operation.offset,
        scope: this.#scope,
      })) as { namespaces: string[][] };
      return answer.namespaces.map((labels) => labels.slice(this.#prefix.length));
    }
  }
  return LacunaStore as unknown as new (memory: Lacuna, options?: LacunaStoreOptions) => InstanceType<Base>;
}
