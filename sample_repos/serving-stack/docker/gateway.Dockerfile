FROM python:3.11-slim
WORKDIR /app
COPY requirements/gateway.txt requirements.txt
RUN pip install --no-cache-dir -r requirements.txt
COPY gateway gateway
COPY models.toml .
USER 1000
CMD ["uvicorn", "gateway.app:app", "--host", "0.0.0.0", "--port", "8080"]
