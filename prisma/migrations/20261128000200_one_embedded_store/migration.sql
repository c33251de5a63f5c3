-- In which folder the files of this database lie while they lie in an embedded store: a node with another would not find them.
CREATE TABLE "embedded_stores" (
    "mark" TEXT NOT NULL,
    "place" TEXT NOT NULL,

    CONSTRAINT "embedded_stores_pkey" PRIMARY KEY ("mark")
);
