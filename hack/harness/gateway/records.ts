import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const number = z.number().nullable();
const text = z.string().nullable();

const budgetSchema = z.object({
  budget_id: z.string(),
  max_budget: number,
  soft_budget: number,
  max_parallel_requests: number,
  tpm_limit: number,
  rpm_limit: number,
  tpd_limit: number,
  budget_duration: text,
  budget_reset_at: text,
  created_at: z.string(),
  updated_at: z.string(),
});

const customerSchema = z.object({
  user_id: z.string(),
  blocked: z.boolean(),
  alias: text,
  spend: z.number(),
  allowed_model_region: text,
  default_model: text,
  models: z.array(z.string()),
  budget_id: text,
  object_permission_id: text,
  object_permission: z.record(z.string(), z.json()).nullable(),
});

const fileSchema = z.object({ budgets: z.array(budgetSchema), customers: z.array(customerSchema) });

/** A row of the budget table. Times are ISO 8601 in UTC, amounts USD. */
export type Budget = z.infer<typeof budgetSchema>;

/** A row of the end-user table. */
export type Customer = z.infer<typeof customerSchema>;

/** The limits of a budget that a caller can set. */
export type BudgetLimits = Partial<Omit<Budget, 'budget_id' | 'created_at' | 'updated_at'>>;

/** The gateway's two tables. They are kept in memory and, with a file, written to it after each change. */
export class Records {
  readonly budgets = new Map<string, Budget>();
  readonly customers = new Map<string, Customer>();
  readonly #file: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string | undefined) {
    this.#file = file;
  }

  /**
   * @param file a JSON file, which is read now if it exists and written after each change
   * @throws Error with one sentence if the file has other contents
   */
  static async open(file: string | undefined): Promise<Records> {
    const records = new Records(file);
    if (file === undefined) return records;
    let content: string;
    try {
      content = await readFile(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return records;
      throw new Error(`The gateway's state file ${file} cannot be read.`, { cause: error });
    }
    const rows = parseFile(file, content);
    for (const budget of rows.budgets) records.budgets.set(budget.budget_id, budget);
    for (const customer of rows.customers) records.customers.set(customer.user_id, customer);
    return records;
  }

  /** Adds a budget row. Without an id, it gets a random one. The caller ensures that the id is not in use. */
  addBudget(limits: BudgetLimits, now: Date, id: string = randomUUID()): Budget {
    const budget: Budget = {
      budget_id: id,
      max_budget: null,
      soft_budget: null,
      max_parallel_requests: null,
      tpm_limit: null,
      rpm_limit: null,
      tpd_limit: null,
      budget_duration: null,
      budget_reset_at: null,
      ...limits,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    this.budgets.set(id, budget);
    return budget;
  }

  /** Adds a customer row, after an admin call or the first paid call of an unknown end user. */
  addCustomer(id: string, columns: Partial<Customer> = {}): Customer {
    const customer: Customer = {
      user_id: id,
      blocked: false,
      alias: null,
      spend: 0,
      allowed_model_region: null,
      default_model: null,
      models: [],
      budget_id: null,
      object_permission_id: null,
      object_permission: null,
      ...columns,
    };
    this.customers.set(id, customer);
    return customer;
  }

  /** Removes a budget row. Linked customers remain, without a budget. */
  deleteBudget(id: string): void {
    this.budgets.delete(id);
    for (const customer of this.customers.values()) if (customer.budget_id === id) customer.budget_id = null;
  }

  /** Adds the cost of a finished call. A customer that does not exist is created, as at the real gateway. */
  async charge(endUser: string, cost: number): Promise<void> {
    const customer = this.customers.get(endUser) ?? this.addCustomer(endUser);
    customer.spend += cost;
    await this.save();
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  /** Writes the tables atomically. Resolves when this state, or a later one, is in the file. */
  async save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    // A failed write was reported to its own caller. The next write starts independently.
    const before = this.#writing.catch(() => undefined);
    this.#writing = before.then(async () => {
      await mkdir(dirname(file), { recursive: true });
      const tables = { budgets: [...this.budgets.values()], customers: [...this.customers.values()] };
      await writeFile(`${file}.new`, JSON.stringify(tables, null, 2), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
    await this.#writing;
  }
}

function parseFile(file: string, content: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(content));
  } catch (error) {
    const message = `The gateway's state file ${file} has an unknown format. Delete it to start without data.`;
    throw new Error(message, { cause: error });
  }
}
